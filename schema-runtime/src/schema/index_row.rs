//! Declared indexes as the derives write them.

use bson::Bson;

/// A declared index. Paths are Rust names (`address.city`) relative to where the row stands; they become stored paths when
/// the model's tree is flattened.
#[doc(hidden)]
#[derive(Debug, Clone, Copy)]
pub struct IndexRow {
    /// Keys in order; empty on a field's row means the field itself, ascending.
    pub keys: &'static [KeyRow],
    /// No two documents with the same key.
    pub unique: bool,
    /// Documents without the field are left out.
    pub sparse: bool,
    /// Seconds until a document is removed, counted from the date in the field.
    pub expire_after: Option<u32>,
    /// The tenant of the model does not stand in front of the keys.
    pub across_tenants: bool,
    /// Conditions of a partial index, joined by and.
    pub partial: &'static [ConditionRow],
    /// Comparison rules for strings.
    pub collation: Option<&'static CollationRow>,
    /// The name, where the user chose one.
    pub name: Option<&'static str>,
    /// Options of a text index.
    pub text: Option<&'static TextRow>,
}

impl IndexRow {
    /// A plain ascending index, to be changed with struct update syntax.
    pub const PLAIN: IndexRow = IndexRow {
        keys: &[],
        unique: false,
        sparse: false,
        expire_after: None,
        across_tenants: false,
        partial: &[],
        collation: None,
        name: None,
        text: None,
    };
}

/// A key of an index.
#[doc(hidden)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeyRow {
    /// Rust names joined by dots; empty on a field's row for the field itself.
    pub path: &'static str,
    /// Order or kind.
    pub kind: KeyKind,
}

/// Order or kind of one index key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum KeyKind {
    /// `1`
    Asc,
    /// `-1`
    Desc,
    /// `"text"`
    Text,
    /// `"hashed"`
    Hashed,
    /// `"2dsphere"`
    Geo,
    /// `path.$**`, or `$**` for the whole document
    Wildcard,
}

/// A condition of a partial index.
#[doc(hidden)]
#[derive(Debug, Clone, Copy)]
pub struct ConditionRow {
    /// Rust names joined by dots; empty on a field's row for the field itself.
    pub path: &'static str,
    /// The operator and its operand.
    pub op: ConditionOp,
}

/// The operator of a partial index's condition, with its operand.
#[doc(hidden)]
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum ConditionOp {
    /// `$exists: true`
    Exists,
    /// `$type: ".."`
    Type(&'static str),
    /// `$eq`
    Eq(Literal),
    /// `$gt`
    Gt(Literal),
    /// `$gte`
    Gte(Literal),
    /// `$lt`
    Lt(Literal),
    /// `$lte`
    Lte(Literal),
}

/// A constant in a condition.
#[doc(hidden)]
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Literal {
    /// A string.
    Str(&'static str),
    /// An integer.
    Int(i64),
    /// A float.
    Double(f64),
    /// true or false.
    Bool(bool),
}

impl Literal {
    /// The stored value; an integer has 64 bits.
    pub(crate) fn to_bson(self) -> Bson {
        match self {
            Literal::Str(text) => Bson::from(text),
            Literal::Int(number) => Bson::Int64(number),
            Literal::Double(number) => Bson::Double(number),
            Literal::Bool(flag) => Bson::Boolean(flag),
        }
    }
}

/// A collation; an option that is not set has the locale's default.
#[doc(hidden)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CollationRow {
    /// An ICU locale: `en`.
    pub locale: &'static str,
    /// 1 to 5.
    pub strength: Option<u8>,
    /// True if case is a level of its own.
    pub case_level: Option<bool>,
    /// True if digits compare as numbers.
    pub numeric_ordering: Option<bool>,
}

/// Options of a text index.
#[doc(hidden)]
#[derive(Debug, Clone, Copy)]
pub struct TextRow {
    /// Rust path and weight; the weight is 1 where the model declares none.
    pub weights: &'static [(&'static str, u32)],
    /// The language of documents that do not name one.
    pub default_language: Option<&'static str>,
    /// The field that names a document's language.
    pub language_override: Option<&'static str>,
}

/// The measure by which an index of vectors compares them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Similarity {
    /// The angle between them: `cosine`.
    Cosine,
    /// The distance between them: `euclidean`.
    Euclidean,
    /// Their product, for vectors of the same length: `dotProduct`.
    DotProduct,
}

impl Similarity {
    /// The server's word.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Similarity::Cosine => "cosine",
            Similarity::Euclidean => "euclidean",
            Similarity::DotProduct => "dotProduct",
        }
    }
}

/// The index of vectors on a field, as the derives write it.
#[doc(hidden)]
#[derive(Debug, Clone, Copy)]
pub struct VectorRow {
    /// The number of values of each vector.
    pub dimensions: u64,
    /// The measure.
    pub similarity: Similarity,
    /// The Rust names of the fields by which a search may select documents.
    pub filter: &'static [&'static str],
}
