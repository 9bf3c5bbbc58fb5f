//! The largest size of a model's documents, as far as its bounds determine it.

use std::collections::BTreeMap;

use crate::index;
use crate::schema::index_row::KeyKind;
use crate::schema::model::ModelMeta;
use crate::schema::rows::{FieldRow, Kind, Shape};
use crate::schema::value::{Cardinality, UNBOUNDED};

/// The largest size of a model's documents: its bounds multiplied out, in bytes of BSON. The library's own data in
/// documents with copies or links, `_dn` and `_r`, is not counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// Bytes of a document with every array full and every string empty.
    pub full_bytes: u64,
    /// Bytes of the largest document; `None` if a field has no bound.
    pub max_bytes: Option<u64>,
    /// Levels of documents and arrays; the server accepts 100.
    pub depth: u64,
    /// Array elements of a full document.
    pub elements: u64,
    /// Entries of a full document in all indexes of its collection, that of `_id` included: this is what an insert
    /// writes. `None` if an array without a bound, a text or a wildcard is indexed.
    pub index_entries: Option<u64>,
}

impl ModelMeta {
    /// The largest size that a document may have.
    #[must_use]
    pub fn limits(&self) -> Limits {
        Limits {
            full_bytes: self.size.worst,
            max_bytes: Some(self.size.most).filter(|&most| most != UNBOUNDED),
            depth: self.size.depth,
            elements: self.size.elems,
            index_entries: entries(self),
        }
    }
}

/// The index entries of a full document: one in the index of `_id`, and in every other index one per element of the arrays that its keys
/// cross.
fn entries(meta: &ModelMeta) -> Option<u64> {
    let mut all = 1_u64;
    for definition in index::definitions(meta) {
        let mut arrays: BTreeMap<String, u64> = BTreeMap::new();
        for (path, kind) in &definition.keys {
            if matches!(kind, KeyKind::Text | KeyKind::Wildcard) {
                return None;
            }
            cross(meta.shape, "", path, &mut arrays)?;
        }
        let entries = arrays
            .values()
            .fold(1_u64, |all, &len| all.saturating_mul(len));
        // A document without elements has one entry all the same.
        all = all.saturating_add(entries.max(1));
    }
    Some(all)
}

/// The arrays on the way of a stored path, with the most elements that each has; `None` where one has no bound.
fn cross(
    shape: &Shape,
    before: &str,
    path: &str,
    arrays: &mut BTreeMap<String, u64>,
) -> Option<()> {
    let (step, rest) = path
        .split_once('.')
        .map_or((path, None), |(step, rest)| (step, Some(rest)));
    let flat = |row: &&FieldRow| row.name.is_empty() && row.shape.is_some();
    for inner in shape.fields.iter().filter(flat).filter_map(|row| row.shape) {
        cross(inner, before, path, arrays)?;
    }
    let Some(row) = shape.fields.iter().find(|row| row.name == step) else {
        return Some(());
    };
    let here = format!("{before}{step}.");
    if row.kind == Kind::Array {
        let len = match row.facts.card {
            Cardinality::Array if row.max == 0 => return None,
            Cardinality::Array => row.max,
            // A fixed-length array.
            _ => row.facts.size.elems,
        };
        arrays.insert(here.clone(), len);
    }
    match (row.shape, rest) {
        (Some(inner), Some(rest)) => cross(inner, &here, rest, arrays),
        _ => Some(()),
    }
}
