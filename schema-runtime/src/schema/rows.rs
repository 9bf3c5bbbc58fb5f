//! Fields, as the derives write them.

use crate::bson_util::path::join;
use crate::schema::checks::{Check, CheckRule, Part, Rules, Scope};
use crate::schema::index_row::{IndexRow, VectorRow};
use crate::schema::model::ModelMeta;
use crate::schema::personal::PersonalRow;
use crate::schema::relation::{DerivedRow, Level, PeriodRow, RelationRow};
use crate::schema::value;
use crate::schema::value::Facts;

/// The fields of a model or of an embedded document.
#[derive(Debug)]
pub struct Shape {
    /// The Rust name of the type.
    pub name: &'static str,
    /// The stored fields in declaration order; of an enum the fields of all its variants.
    pub fields: &'static [FieldRow],
}

impl Shape {
    /// The field at this Rust path through embedded documents, and its stored path.
    pub(crate) fn field_at(&self, rust: &str) -> Option<(String, &'static FieldRow)> {
        let (step, rest) = match rust.split_once('.') {
            Some((step, rest)) => (step, Some(rest)),
            None => (rust, None),
        };
        let mut rows = self.fields.iter().filter(|row| row.rust == step);
        rows.find_map(|row| match rest {
            None => Some((row.name.to_owned(), row)),
            Some(rest) => {
                let inner = row.shape.filter(|_| row.kind == Kind::Document)?;
                let (path, field) = inner.field_at(rest)?;
                Some((join(row.name, &path), field))
            }
        })
    }

    /// True if every step of a stored path but the last is an embedded document.
    pub(crate) fn is_in_documents(&self, path: &str) -> bool {
        self.fields.iter().any(|row| {
            let inner = row.shape.filter(|_| row.kind == Kind::Document);
            match path.split_once('.') {
                _ if row.name.is_empty() => inner.is_some_and(|inner| inner.is_in_documents(path)),
                None => row.name == path,
                Some((step, rest)) => {
                    row.name == step && inner.is_some_and(|inner| inner.is_in_documents(rest))
                }
            }
        })
    }
}

/// A stored field.
#[derive(Debug, Clone, Copy)]
pub struct FieldRow {
    /// The Rust name.
    pub rust: &'static str,
    /// The stored (serde) name; empty for a flattened field, whose fields stand in its parent.
    pub name: &'static str,
    /// The form in which the value is stored.
    pub kind: Kind,
    /// True if `None` is stored as null.
    pub nullable: bool,
    /// The names under which the field is read as well: its `#[serde(alias = ..)]`.
    pub aliases: &'static [&'static str],
    /// True if the field is stored through its own `#[serde(with = ..)]`.
    pub with: bool,
    /// The declared bound of an array, set or map; 0 where there is none.
    pub max: u64,
    /// The declared length of a string in characters, of binary in bytes, of each element where it is an array of them; 0 where
    /// there is none.
    pub max_len: u64,
    /// The rules about the field's value, or about each of its elements.
    pub checks: &'static [Check],
    /// True if a stored document may lack the field although its type is no `Option`.
    pub absent: bool,
    /// True if the field is the tag that distinguishes the variants of an enum.
    pub tag: bool,
    /// The fields inside, for embedded documents and arrays of them.
    pub shape: Option<&'static Shape>,
    /// The reference that this field holds.
    pub relation: Option<&'static RelationRow>,
    /// The copy that this field is.
    pub copy: Option<&'static CopyRow>,
    /// The value that this field derives from the documents that refer to its model.
    pub derived: Option<&'static DerivedRow>,
    /// For a number in a document that stands for a period: the Rust name of the children's date by which they belong to a period.
    pub dated: Option<&'static str>,
    /// For the `_id` of a document that stands for a period: the period.
    pub period: Option<&'static PeriodRow>,
    /// For the ancestors in a tree: the stored name of the reference to the parent.
    pub tree: Option<&'static str>,
    /// The width of the version that this field is; `None` for every other field.
    pub version: Option<Width>,
    /// The value of the field and the write that sets it; `None` if the program sets the value in every write.
    pub fixed: Option<Fixed>,
    /// The person that the value is about, if it is about one.
    pub personal: Option<&'static PersonalRow>,
    /// For a field of one variant of an enum model: the stored tag, and its value.
    pub variant: Option<(&'static str, &'static str)>,
    /// The characters of the parts by which the field's texts are found; 0 where they are not.
    pub contains: u64,
    /// The index of vectors on the field.
    #[doc(hidden)]
    pub vector: Option<VectorRow>,
    /// Indexes declared on the field.
    pub indexes: &'static [IndexRow],
    /// The facts about the type that the rules check.
    #[doc(hidden)]
    pub facts: Facts,
}

impl FieldRow {
    /// Bytes of the largest value that its bounds allow, with what is stored beside it; [`value::UNBOUNDED`] where nothing bounds it.
    #[must_use]
    pub const fn most(&self) -> u64 {
        match self.contains {
            0 => self.most_of_value(),
            _ => self.most_of_value().saturating_add(self.most_parts()),
        }
    }

    const fn most_of_value(&self) -> u64 {
        let of_len = match self.facts.elem_kind {
            // Four bytes for a character, a length, a NUL.
            Kind::String if self.longest() < u64::MAX => {
                self.longest().saturating_mul(4).saturating_add(5)
            }
            // A length and a subtype; the oldest subtype states its length twice.
            Kind::Binary if self.max_len > 0 => self.max_len.saturating_add(9),
            _ => value::UNBOUNDED,
        };
        let each = if of_len < self.facts.elem_most {
            of_len
        } else {
            self.facts.elem_most
        };
        match self.facts.card {
            value::Cardinality::Array if self.max > 0 => value::array_bytes(self.max, each),
            // The keys of a map have no bound.
            value::Cardinality::Array | value::Cardinality::Map => value::UNBOUNDED,
            _ if each < self.facts.size.most => each,
            _ => self.facts.size.most,
        }
    }

    /// True if a document leaves the field out where it would be null.
    pub(crate) const fn is_left_out(&self) -> bool {
        self.nullable && self.absent
    }

    /// The characters of the longest string that `max_len` and the checks allow; `u64::MAX` where nothing limits them.
    const fn longest(&self) -> u64 {
        let mut longest = match self.max_len {
            0 => u64::MAX,
            max => max,
        };
        let is_array = matches!(self.facts.card, value::Cardinality::Array);
        let mut n = 0;
        while n < self.checks.len() {
            // Stored documents may break a rule of writes.
            if let CheckRule::Len { max, .. } = self.checks[n].rule
                && self.checks[n].is_of_each() == is_array
                && matches!(self.checks[n].scope, Scope::Always)
                && max < longest
            {
                longest = max;
            }
            n += 1;
        }
        longest
    }

    /// The rules about this part of the value.
    pub(crate) fn rules(
        &self,
        part: Part,
        rules: Rules,
    ) -> impl Iterator<Item = &'static CheckRule> + use<> {
        let checks = self.checks.iter();
        let checks = checks.filter(move |check| check.part == part && rules.include(check));
        checks.map(|check| &check.rule)
    }

    /// The largest number of elements in an array; 0 where nothing bounds it.
    pub(crate) fn most_elements(&self, rules: Rules) -> u64 {
        let lengths = self
            .rules(Part::Whole, rules)
            .filter_map(|rule| match rule {
                CheckRule::Len { max, .. } if *max < u64::MAX => Some(*max),
                _ => None,
            });
        let declared = (self.max > 0).then_some(self.max);
        lengths.chain(declared).min().unwrap_or(0)
    }

    /// True if no value of the field can break a bound or a check.
    pub(crate) fn is_unchecked(&self, rules: Rules) -> bool {
        let is_plain = self.max == 0 && self.max_len == 0 && self.shape.is_none();
        is_plain && !self.checks.iter().any(|check| rules.include(check))
    }

    /// A plain field.
    #[must_use]
    pub const fn new(
        rust: &'static str,
        name: &'static str,
        kind: Kind,
        nullable: bool,
        shape: Option<&'static Shape>,
        facts: Facts,
    ) -> Self {
        FieldRow {
            rust,
            name,
            kind,
            nullable,
            aliases: &[],
            with: false,
            max: 0,
            max_len: 0,
            checks: &[],
            absent: false,
            tag: false,
            shape,
            relation: None,
            copy: None,
            derived: None,
            dated: None,
            period: None,
            tree: None,
            version: None,
            fixed: None,
            personal: None,
            variant: None,
            contains: 0,
            vector: None,
            indexes: &[],
            facts,
        }
    }

    /// True if the field is an embedded document that a stored document may be without.
    pub(crate) const fn is_optional(&self) -> bool {
        // A flattened field has no name that could be removed.
        matches!(self.kind, Kind::Document) && self.nullable && !self.name.is_empty()
    }

    /// True if the field's elements are arrays or maps themselves, so that no path leads through it.
    pub(crate) fn is_nested(&self) -> bool {
        self.kind == Kind::Array && matches!(self.facts.elem_kind, Kind::Array | Kind::Map)
    }

    /// The field, read under further names.
    #[must_use]
    pub const fn aliases(mut self, aliases: &'static [&'static str]) -> Self {
        self.aliases = aliases;
        self
    }

    /// The field, stored through a `#[serde(with = ..)]` or not.
    #[must_use]
    pub const fn with(mut self, with: bool) -> Self {
        self.with = with;
        self
    }

    /// The field with a bound.
    #[must_use]
    pub const fn max(mut self, max: u64) -> Self {
        self.max = max;
        self
    }

    /// The field with a length.
    #[must_use]
    pub const fn max_len(mut self, max_len: u64) -> Self {
        self.max_len = max_len;
        self
    }

    /// The field, whose texts are found by parts of this length.
    #[must_use]
    pub const fn contains(mut self, length: u64) -> Self {
        self.contains = length;
        self
    }

    /// The field with an index of its vectors.
    #[must_use]
    pub const fn vector(mut self, vector: VectorRow) -> Self {
        self.vector = Some(vector);
        self
    }

    /// Bytes of the parts that a document stores beside the longest text.
    const fn most_parts(&self) -> u64 {
        // For each character a run of up to eight and a word: a type, a key of up to four digits, a length, a NUL, a mark of words.
        const EACH: u64 = 2 * (1 + 5 + 4 + 1) + 1 + 32 + 4;
        self.longest().saturating_mul(EACH).saturating_add(32)
    }

    /// The field with checks.
    #[must_use]
    pub const fn checks(mut self, checks: &'static [Check]) -> Self {
        self.checks = checks;
        self
    }

    /// The field in a model whose stored documents may be without it.
    #[must_use]
    pub const fn absent(mut self) -> Self {
        self.absent = true;
        self
    }

    /// The field as the tag of an enum, with the values that it takes; none where others may be stored too.
    #[must_use]
    pub const fn tag(mut self, tags: &'static [&'static str]) -> Self {
        self.tag = true;
        self.facts.tags = tags;
        self.facts.size.most = value::text_bytes(tags);
        self
    }

    /// The field with a reference.
    #[must_use]
    pub const fn relation(mut self, relation: &'static RelationRow) -> Self {
        self.relation = Some(relation);
        self
    }

    /// The field as a copy.
    #[must_use]
    pub const fn copy(mut self, copy: &'static CopyRow) -> Self {
        self.copy = Some(copy);
        self
    }

    /// The field as derived from the documents that refer to its model.
    #[must_use]
    pub const fn derived(mut self, derived: &'static DerivedRow) -> Self {
        self.derived = Some(derived);
        self
    }

    /// The field as derived from the children whose date is in the period of the document.
    #[must_use]
    pub const fn dated(mut self, at: &'static str) -> Self {
        self.dated = Some(at);
        self
    }

    /// The field as the `_id` of a document that stands for a period.
    #[must_use]
    pub const fn period(mut self, period: &'static PeriodRow) -> Self {
        self.period = Some(period);
        self
    }

    /// The field as the ancestors of its document in a tree, which refers to its parent by the field with this stored name.
    #[must_use]
    pub const fn tree(mut self, above: &'static str) -> Self {
        self.tree = Some(above);
        self
    }

    /// The field as the version of its document, in 32 bits or in 64.
    #[must_use]
    pub const fn version(mut self, narrow: bool) -> Self {
        self.version = Some(if narrow { Width::Int32 } else { Width::Int64 });
        self
    }

    /// The field, written by the server, or once.
    #[must_use]
    pub const fn fixed(mut self, fixed: Fixed) -> Self {
        self.fixed = Some(fixed);
        self
    }

    /// The field as a value that is about a person.
    #[must_use]
    pub const fn personal(mut self, personal: &'static PersonalRow) -> Self {
        self.personal = Some(personal);
        self
    }

    /// The field with indexes.
    #[must_use]
    pub const fn indexes(mut self, indexes: &'static [IndexRow]) -> Self {
        self.indexes = indexes;
        self
    }
}

/// The value of a field and the write that sets it, where a program does not choose the value at every write.
#[doc(hidden)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Fixed {
    /// The server's time when the document is stored first.
    Created,
    /// The server's time at every write of the document.
    Updated,
    /// The server's time of a soft delete; absent in a live document.
    Deleted,
    /// The program's value when the document is stored first.
    Immutable,
    /// The tenant that the document belongs to: the program's value when it is stored first.
    Tenant,
    /// The program's value when the document is stored first, and by updates of the field; a save leaves it as it is stored. In a model
    /// with a version, which such an update does not raise.
    Volatile,
}

/// The width of a stored integer.
#[doc(hidden)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Width {
    /// In 32 bits: `i32`.
    Int32,
    /// In 64 bits: `i64`.
    Int64,
}

/// The form in which serde stores a value, as far as the Rust type shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Kind {
    /// A UTF-8 string.
    String,
    /// A 32 or 64 bit integer.
    Int,
    /// A 64 bit float.
    Double,
    /// A decimal.
    Decimal,
    /// true or false.
    Bool,
    /// A UTC date.
    Date,
    /// An ObjectId.
    ObjectId,
    /// Bytes, uuids included.
    Binary,
    /// An internal timestamp.
    Timestamp,
    /// An embedded document.
    Document,
    /// An array.
    Array,
    /// A document whose keys are data.
    Map,
    /// Not known from the type (`Bson`, `opaque`, a field with `with = ..`).
    Any,
}

/// A denormalised field.
#[derive(Debug)]
pub struct CopyRow {
    /// The model copied from.
    pub source: fn() -> &'static ModelMeta,
    /// The Rust name of the source field; `profile.name` where it is inside an embedded document.
    pub field: &'static str,
    /// The Rust name of the reference beside it (`id` inside an entry).
    pub via: &'static str,
    /// A frozen copy, never brought up to date.
    pub snapshot: bool,
    /// The guarantee that the copy follows its source.
    pub level: Level,
}

/// A piece of advice of the derive: a rule that is not an error.
#[doc(hidden)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Advice {
    /// The rule's code.
    pub rule: &'static str,
    /// The field that the advice is about, by its Rust name; empty for the model.
    pub field: &'static str,
    /// The rule's message.
    pub says: &'static str,
}
