//! Fields that no model has: reads leave them out, and a `save` of what was read removes them. The server lists their names.

use std::collections::{BTreeMap, BTreeSet};

use bson::{Bson, Document, doc};
use mongo_model::model::{FieldRow, Kind, ModelMeta, Shape};

pub(crate) const SCHEMA_VERSION: &str = "schema_version";

/// The fields that the models of a collection have.
#[derive(Debug, Default)]
pub(super) struct Fields {
    names: BTreeSet<&'static str>,
    /// True if a field takes whatever the others do not name.
    takes_all: bool,
    /// The fields inside, of embedded documents and of arrays of them.
    inside: BTreeMap<&'static str, Fields>,
}

impl Fields {
    pub(super) fn new(models: &[&'static ModelMeta]) -> Self {
        let mut fields = Fields::default();
        fields.names.extend(["_id", SCHEMA_VERSION, "_dn", "_ng"]);
        for model in models {
            fields.add(model.shape);
        }
        fields
    }

    fn add(&mut self, shape: &'static Shape) {
        for row in shape.fields {
            self.names.extend(row.variant.map(|(tag, _)| tag));
            match (row.name.is_empty(), row.shape) {
                (false, _) => self.add_field(row),
                (true, Some(inner)) => self.add(inner),
                (true, None) => self.takes_all = true,
            }
        }
    }

    fn add_field(&mut self, row: &'static FieldRow) {
        let names = row.aliases.iter().chain([&row.name]);
        let inner = row.shape.filter(|_| holds_documents(row));
        for &name in names {
            self.names.insert(name);
            let inside = self.inside.entry(name).or_default();
            match inner {
                // The names inside an enum depend on how it is written.
                Some(inner) if inner.fields.iter().all(|row| !row.tag) => inside.add(inner),
                _ => inside.takes_all = true,
            }
        }
    }

    /// The stages that count the documents with each unknown field: `{_id: path, count, id}`.
    pub(super) fn stages(&self) -> Vec<Document> {
        vec![
            doc! { "$project": { "unknown": self.unknown("$$ROOT", "") } },
            doc! { "$unwind": "$unknown" },
            doc! { "$group": { "_id": "$unknown", "count": { "$sum": 1_i64 }, "id": { "$first": "$_id" } } },
            doc! { "$sort": { "_id": 1 } },
        ]
    }

    /// The paths of unknown fields in a document, as an expression; `above` is the path of the document with a dot behind it.
    fn unknown(&self, document: &str, above: &str) -> Bson {
        let mut parts = Vec::new();
        if !self.takes_all {
            let names = doc! { "$map": { "input": { "$objectToArray": document }, "as": "field", "in": "$$field.k" } };
            let known: Vec<&str> = self.names.iter().copied().collect();
            let unknown = doc! { "$setDifference": [names, { "$literal": known }] };
            let path = doc! { "$concat": [{ "$literal": above }, "$$name"] };
            parts.push(doc! { "$map": { "input": unknown, "as": "name", "in": path } });
        }
        for (name, inside) in &self.inside {
            if inside.is_everything() {
                continue;
            }
            let (value, above) = (format!("{document}.{name}"), format!("{above}{name}."));
            let is_document = |value: &str| doc! { "$eq": [{ "$type": value }, "object"] };
            let element =
                doc! { "$cond": [is_document("$$this"), inside.unknown("$$this", &above), []] };
            let all = doc! { "$setUnion": ["$$value", element] };
            parts.push(doc! { "$switch": {
                "branches": [
                    { "case": is_document(&value), "then": inside.unknown(&value, &above) },
                    { "case": { "$isArray": [&value] }, "then": { "$reduce": { "input": &value, "initialValue": [], "in": all } } },
                ],
                "default": [],
            } });
        }
        match parts.len() {
            0 => Bson::Array(Vec::new()),
            _ => doc! { "$concatArrays": parts }.into(),
        }
    }

    /// True if no field in it can be unknown.
    fn is_everything(&self) -> bool {
        self.takes_all && self.inside.values().all(Fields::is_everything)
    }
}

fn holds_documents(row: &FieldRow) -> bool {
    !row.with
        && matches!(
            (row.kind, row.facts.elem_kind),
            (Kind::Document, _) | (Kind::Array, Kind::Document)
        )
}
