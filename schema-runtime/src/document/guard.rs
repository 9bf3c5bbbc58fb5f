//! Refuses documents over their bounds before they are sent.

use std::collections::HashSet;

use bson::{Bson, RawBsonRef, RawDocument};

use crate::bson_util::id_key::IdKey;
use crate::error::{Error, Result};
use crate::schema::model::ModelMeta;
use crate::schema::rows::{FieldRow, Kind, Shape};
use crate::schema::two_way::follows_other_side;

/// MongoDB's limit on one document.
pub(crate) const DOCUMENT_MAX: usize = 16 * 1024 * 1024;

/// Checks every bound inside a document, and its size.
pub(crate) fn document(meta: &'static ModelMeta, raw: &RawDocument) -> Result<()> {
    if raw.as_bytes().len() > DOCUMENT_MAX {
        return Err(Error::DocTooLarge {
            model: meta.name,
            bytes: raw.as_bytes().len(),
            limit: DOCUMENT_MAX,
        });
    }
    // Two writers at once may fill such an array over its bound: a document that was read has to remain one that can be saved.
    let is_derived = |row: &'static FieldRow| row.max > 0 && follows_other_side(meta, row);
    fields(meta.shape, raw, meta.name, &is_derived)
}

/// Checks every bound inside a document of this shape. `owner` is how an error names what holds it: `Person.addresses`.
pub(crate) fn bounds(shape: &'static Shape, raw: &RawDocument, owner: &str) -> Result<()> {
    fields(shape, raw, owner, &|_| false)
}

/// The same, without the fields that `passes_over` names.
fn fields(
    shape: &'static Shape,
    raw: &RawDocument,
    owner: &str,
    passes_over: &dyn Fn(&'static FieldRow) -> bool,
) -> Result<()> {
    for row in shape.fields {
        // A copy is what its source says, and that was checked there.
        if row.copy.is_some() || row.max == 0 && row.max_len == 0 && row.shape.is_none() {
            continue;
        }
        if row.name.is_empty() {
            if let Some(inner) = row.shape {
                fields(inner, raw, owner, passes_over)?;
            }
            continue;
        }
        if passes_over(row) {
            continue;
        }
        // A document that its own encoder wrote is well formed.
        let Some(value) = raw.get(row.name).ok().flatten() else {
            continue;
        };
        field(row, value, &format!("{owner}.{}", row.name))?;
    }
    Ok(())
}

/// Checks the bounds of one value of a field.
pub(crate) fn field(row: &FieldRow, value: RawBsonRef<'_>, owner: &str) -> Result<()> {
    let elements: Vec<RawBsonRef<'_>> = match value {
        RawBsonRef::Array(array) => array
            .into_iter()
            .filter_map(std::result::Result::ok)
            .collect(),
        RawBsonRef::Document(map) if row.kind == Kind::Map => map
            .iter()
            .filter_map(|element| Some(element.ok()?.1))
            .collect(),
        value => return element(row, value, owner),
    };
    let len = elements.len() as u64;
    if row.max > 0 && len > row.max {
        return Err(Error::TooLong {
            field: owner.to_owned(),
            max: row.max,
            len,
        });
    }
    each_once(row, &elements, owner)?;
    elements
        .into_iter()
        .try_for_each(|value| element(row, value, owner))
}

/// Checks that no two memberships name the same document: it would have two roles.
fn each_once(row: &FieldRow, elements: &[RawBsonRef<'_>], owner: &str) -> Result<()> {
    let Some(relation) = row.relation.filter(|relation| relation.members) else {
        return Ok(());
    };
    let mut seen = HashSet::new();
    for element in elements {
        let id = element
            .as_document()
            .and_then(|entry| entry.get(relation.entry_id).ok().flatten());
        if let Some(id) = id
            && !seen.insert(IdKey::of_raw(id))
        {
            return Err(Error::OtherEntry {
                field: owner.to_owned(),
                id: Box::new(Bson::try_from(id).unwrap_or(Bson::Null)),
            });
        }
    }
    Ok(())
}

/// Checks the bounds of one element, or of the one value that the field has.
pub(crate) fn element(row: &FieldRow, value: RawBsonRef<'_>, owner: &str) -> Result<()> {
    let (len, unit) = match value {
        RawBsonRef::Document(inner) => {
            let shape = row.shape;
            return shape.map_or(Ok(()), |shape| bounds(shape, inner, owner));
        }
        _ if row.max_len == 0 => return Ok(()),
        // No string has more characters than bytes.
        RawBsonRef::String(text) if text.len() as u64 > row.max_len => {
            (text.chars().count(), "characters")
        }
        RawBsonRef::Binary(binary) => (binary.bytes.len(), "bytes"),
        _ => return Ok(()),
    };
    let len = len as u64;
    if len > row.max_len {
        return Err(Error::ValueTooLong {
            field: owner.to_owned(),
            max: row.max_len,
            len,
            unit,
        });
    }
    Ok(())
}
