//! A model as data: what the facts of a lock say of its documents.

use std::collections::BTreeMap;

use super::fields::{Absence, Said, inside, range, variants};
use super::matrix::ModelFacts;
use crate::commands::lock::facts::Fact;

/// The fields of a document, by stored name.
pub(super) type Fields = BTreeMap<String, Field>;

/// The fields of a model or of an embedded document.
#[derive(Debug, Default)]
pub(super) struct Table {
    pub(super) fields: Fields,
    /// The values of the keys that are no fields, if a flattened map takes them.
    pub(super) rest: Option<Form>,
    /// The tag of an enum model, and the fields of each variant.
    pub(super) variants: Option<(String, BTreeMap<String, Fields>)>,
    pub(super) schema: Option<Schema>,
    /// True for an embedded enum: the facts do not say which of its variants have a field.
    pub(super) is_tagged: bool,
}

/// The version of a model's schema.
#[derive(Debug, Clone, Copy)]
pub(super) struct Schema {
    pub(super) version: i32,
    pub(super) unversioned: Option<i32>,
    pub(super) migrates: bool,
}

/// A field.
#[derive(Debug)]
pub(super) struct Field {
    pub(super) form: Form,
    pub(super) absence: Absence,
    /// True if a document without the field is read.
    pub(super) may_be_absent: bool,
    pub(super) aliases: Vec<String>,
}

/// The form of a value.
#[derive(Debug)]
pub(super) struct Form {
    pub(super) holds: Holds,
    pub(super) kind: Kind,
    /// True if an element may be null.
    pub(super) null: bool,
    /// The only values; empty where all are read.
    pub(super) one_of: Vec<String>,
    /// True if values beside `one_of` are read, too.
    pub(super) others: bool,
    /// The most elements.
    pub(super) max: Option<usize>,
    /// The most characters.
    pub(super) max_len: Option<usize>,
    /// The fields of a document, where they are known.
    pub(super) inner: Option<Box<Table>>,
}

/// The number of values in a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Holds {
    One,
    Array,
    Map,
}

/// The type of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    String,
    Int(i128, i128),
    Double,
    Decimal,
    Bool,
    Date,
    ObjectId,
    Binary,
    /// It has so many numbers.
    Vector(usize),
    Timestamp,
    Document,
    Array,
    /// No table knows it.
    Any,
}

impl Table {
    pub(super) fn of(facts: &ModelFacts) -> Self {
        let mut table = Table::below(facts, "");
        // The variants of a model have facts of their own.
        table.is_tagged = false;
        let said = |name: &str| facts.get(name).map(Said::of);
        let tag = said("$model").and_then(|model| {
            let enum_by = model.all().find_map(|part| part.strip_prefix("enum by "));
            enum_by.map(str::to_owned)
        });
        table.variants = tag.map(|tag| {
            let values = facts.get(&tag).map_or_else(Vec::new, variants);
            let of = |value: &str| Table::below(facts, &format!("({tag}={value}).")).fields;
            let all = values
                .into_iter()
                .map(|value| (value.to_owned(), of(value)));
            (tag.clone(), all.collect())
        });
        table.schema = said("$schema").and_then(|schema| {
            let number = |start: &str| {
                let parts = schema.all();
                let found = parts.filter_map(|part| part.strip_prefix(start));
                found.filter_map(|number| number.parse().ok()).next()
            };
            Some(Schema {
                version: number("version ")?,
                unversioned: number("unversioned "),
                migrates: schema.has("migrates"),
            })
        });
        table
    }

    /// The fields whose names begin so.
    fn below(facts: &ModelFacts, above: &str) -> Self {
        let mut table = Table::default();
        for (name, fact) in facts.iter().filter(|(name, _)| !name.starts_with('$')) {
            let Some(name) = name.strip_prefix(above) else {
                continue;
            };
            if name.is_empty() || name.starts_with('(') || name.contains('.') {
                continue;
            }
            // Variants of an embedded enum have fields of one name that differ.
            match name.split_once(" (") {
                Some((name, _)) => {
                    if let Some(field) = table.fields.get_mut(name) {
                        field.form.kind = Kind::Any;
                        field.form.holds = Holds::One;
                    }
                }
                None if name == "*" => {
                    // Its values are those of the map.
                    let mut form = Form::of(fact, facts, above);
                    form.holds = Holds::One;
                    table.rest = Some(form);
                }
                None => {
                    table.is_tagged |= Said::of(fact).kind() == "tag";
                    let form = Form::of(fact, facts, &format!("{above}{name}"));
                    table.fields.insert(name.to_owned(), Field::of(fact, form));
                }
            }
        }
        table
    }

    /// The field that is read under this name, in whichever variant it is.
    pub(super) fn find(&self, name: &str) -> Option<&Field> {
        let of_variants = self.variants.iter().flat_map(|(_, all)| all.values());
        let mut fields = [&self.fields].into_iter().chain(of_variants).flatten();
        let found = fields.find(|(known, field)| {
            *known == name || field.aliases.iter().any(|alias| alias == name)
        });
        found.map(|(_, field)| field)
    }

    /// The fields that a document with this tag has.
    pub(super) fn fields_of<'t>(
        &'t self,
        tag: Option<&str>,
    ) -> impl Iterator<Item = (&'t String, &'t Field)> {
        let variants = self.variants.as_ref();
        let of_variant = variants.and_then(|(_, all)| all.get(tag?));
        self.fields.iter().chain(of_variant.into_iter().flatten())
    }
}

impl Field {
    fn of(fact: &Fact, form: Form) -> Self {
        let said = Said::of(fact);
        let aliases = said.more().filter_map(|part| part.strip_prefix("alias "));
        let is_tag = said.kind() == "tag";
        Field {
            form,
            absence: if is_tag {
                Absence::Never
            } else {
                said.absence()
            },
            may_be_absent: !is_tag && said.may_be_absent(),
            aliases: aliases.map(str::to_owned).collect(),
        }
    }
}

impl Form {
    fn of(fact: &Fact, facts: &ModelFacts, path: &str) -> Self {
        let said = Said::of(fact);
        let (open, kind) = inside(said.kind());
        let (holds, step) = match open {
            None => (Holds::One, "."),
            Some('[') => (Holds::Array, "[]."),
            Some(_) => (Holds::Map, "{}."),
        };
        let (kind, null) = match kind.strip_suffix(" or null") {
            Some(kind) => (kind, true),
            None => (kind, false),
        };
        let is_opaque = said.has("serde functions");
        let kind = match (holds, kind) {
            _ if is_opaque => Kind::Any,
            // A `bson::Document`, too.
            (Holds::Map, "map") => Kind::Any,
            (_, kind) => Kind::of(kind),
        };
        let below = Table::below(facts, &format!("{path}{step}"));
        let is_known = !below.fields.is_empty() || below.rest.is_some();
        let bound = |start: &str| said.after(start).and_then(|bound| bound.parse().ok());
        Form {
            holds: if is_opaque { Holds::One } else { holds },
            kind,
            null,
            one_of: variants(fact).into_iter().map(str::to_owned).collect(),
            others: said.has("or others"),
            max: bound("max "),
            max_len: bound("max_len "),
            inner: (kind == Kind::Document && is_known).then(|| Box::new(below)),
        }
    }
}

impl Kind {
    fn of(name: &str) -> Self {
        match name {
            "string" | "tag" => Kind::String,
            "double" => Kind::Double,
            "decimal" => Kind::Decimal,
            "bool" => Kind::Bool,
            "date" => Kind::Date,
            "object id" => Kind::ObjectId,
            "binary" => Kind::Binary,
            "timestamp" => Kind::Timestamp,
            "document" | "map" => Kind::Document,
            "array" => Kind::Array,
            other if other.starts_with("vector ") => {
                let numbers = other.trim_start_matches("vector ").parse();
                numbers.map_or(Kind::Any, Kind::Vector)
            }
            other => match range(other) {
                Some((least, greatest)) => Kind::Int(least, greatest),
                None => Kind::Any,
            },
        }
    }
}
