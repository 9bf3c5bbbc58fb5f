//! The two sides of a two-way reference: the side that decides, and the side that the library writes.

use crate::schema::model::ModelMeta;
use crate::schema::relation::RelationRow;
use crate::schema::rows::{FieldRow, Kind};

/// The fields at the top of a model's documents, flattened ones among them.
pub(crate) fn top(model: &'static ModelMeta) -> Vec<&'static FieldRow> {
    fn add(rows: &'static [FieldRow], out: &mut Vec<&'static FieldRow>) {
        for row in rows {
            match (row.name.is_empty(), row.shape) {
                (true, Some(inner)) if row.kind != Kind::Map => add(inner.fields, out),
                _ => out.push(row),
            }
        }
    }
    let mut out = Vec::new();
    add(model.shape.fields, &mut out);
    out
}

/// The field at the top of a model's documents with this Rust name.
pub(crate) fn named(model: &'static ModelMeta, rust: &str) -> Option<&'static FieldRow> {
    top(model).into_iter().find(|row| row.rust == rust)
}

/// A side of a two-way reference.
type Side<'r> = (&'r ModelMeta, &'r FieldRow, &'r RelationRow);

/// True if `side` is the truth of two arrays: the array of entries, or else the first by name. An array beside a single reference is not.
pub(crate) fn is_truth(side: Side<'_>, other: Side<'_>) -> bool {
    let name = |(model, row, _): Side<'_>| format!("{}.{}", model.collection, row.name);
    match (side.2.entry, other.2.entry) {
        _ if !other.2.many => false,
        (true, false) => true,
        (false, true) => false,
        _ => name(other) >= name(side),
    }
}

/// True if the library writes this array because documents of the other side refer to its own: no save of a whole document changes it.
pub(crate) fn follows_other_side(model: &'static ModelMeta, row: &'static FieldRow) -> bool {
    let Some(relation) = row.relation.filter(|relation| relation.many) else {
        return false;
    };
    let Some(inverse) = relation.inverse else {
        return false;
    };
    let other = (relation.target)();
    let Some(back) = named(other, inverse) else {
        return false;
    };
    // If a field is its own other side, each document holds the truth about some of its pairs.
    let symmetric = other.collection == model.collection && back.name == row.name;
    symmetric
        || back.relation.is_some_and(|relation_back| {
            !is_truth((model, row, relation), (other, back, relation_back))
        })
}
