//! References by which a document would be above itself: the smallest ring, which shows without any other document.

#[cfg(feature = "driver")]
use bson::{Bson, Document};
use bson::{RawBsonRef, RawDocument};

use crate::bson_util::id_key::IdKey;
#[cfg(feature = "driver")]
use crate::bson_util::path::at;
use crate::bson_util::path::raw_at;
use crate::error::violation::Violation;
#[cfg(feature = "driver")]
use crate::error::{Error, Result};
use crate::schema::checks::CheckRule;
use crate::schema::model::ModelMeta;
use crate::schema::relation::{Holds, RelationRow};
use crate::schema::rows::FieldRow;

/// The references of a document that lead to itself.
pub(super) fn in_document(
    meta: &'static ModelMeta,
    raw: &RawDocument,
) -> impl Iterator<Item = Violation> {
    references(meta).filter_map(move |(row, relation)| {
        let key = key_row(meta, relation)?;
        let own = raw.get(key.name).ok().flatten()?;
        let to = raw_at(raw, &stored_path(row, relation)).filter(|to| *to != RawBsonRef::Null)?;
        (IdKey::of_raw(own) == IdKey::of_raw(to)).then(|| violation(row))
    })
}

/// Refuses an update after which the document with this `_id` would refer to itself.
#[cfg(feature = "driver")]
pub(crate) fn check_update(
    meta: &'static ModelMeta,
    operators: &Document,
    id: &Bson,
) -> Result<()> {
    let Ok(set) = operators.get_document("$set") else {
        return Ok(());
    };
    let by_id = references(meta).filter(|(_, relation)| relation.key.is_none());
    let violations: Vec<Violation> = by_id
        .filter(|(row, relation)| {
            let path = stored_path(row, relation);
            let to = set.get(&path).or_else(|| at(set, &path));
            to.is_some_and(|to| *to != Bson::Null && IdKey::new(to) == IdKey::new(id))
        })
        .map(|(row, _)| violation(row))
        .collect();
    match violations.is_empty() {
        true => Ok(()),
        false => Err(Error::invalid(meta.name, violations)),
    }
}

/// The checked references to one document of the same collection. Where a document cannot be without the reference, a root refers to
/// itself.
fn references(
    meta: &'static ModelMeta,
) -> impl Iterator<Item = (&'static FieldRow, &'static RelationRow)> {
    let rows = meta.shape.fields.iter();
    rows.filter_map(move |row| Some((row, row.relation?)))
        .filter(move |(row, relation)| {
            let is_one = !relation.many && matches!(relation.holds, Holds::Ids);
            let may_be_absent = row.nullable || row.absent;
            is_one
                && (relation.checked || relation.inverse.is_some())
                && may_be_absent
                && relation.tag.is_none()
                && (relation.target)().collection == meta.collection
        })
}

fn violation(row: &FieldRow) -> Violation {
    Violation::new(row.name.to_owned(), CheckRule::OtherDocument)
}

fn key_row(meta: &'static ModelMeta, relation: &RelationRow) -> Option<&'static FieldRow> {
    let mut rows = meta.shape.fields.iter();
    rows.find(|row| match relation.key {
        Some(key) => row.rust == key,
        None => row.name == "_id",
    })
}

fn stored_path(row: &FieldRow, relation: &RelationRow) -> String {
    match relation.entry {
        true => format!("{}.{}", row.name, relation.entry_id),
        false => row.name.to_owned(),
    }
}
