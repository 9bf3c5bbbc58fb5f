//! What is refused before it is sent: documents over their bounds.

use bson::{RawBsonRef, RawDocument};

use crate::error::{Error, Result};
use crate::model::{Kind, ModelMeta, Shape};

/// MongoDB's limit on one document.
const DOCUMENT_MAX: usize = 16 * 1024 * 1024;

/// Checks every bound inside a document, and its size.
pub(crate) fn document(meta: &'static ModelMeta, raw: &RawDocument) -> Result<()> {
    if raw.as_bytes().len() > DOCUMENT_MAX {
        return Err(Error::DocTooLarge {
            model: meta.name,
            bytes: raw.as_bytes().len(),
            limit: DOCUMENT_MAX,
        });
    }
    bounds(meta.shape, raw, meta.name)
}

/// Checks every bound inside a document of this shape. `owner` is how an error names what holds it: `Person.addresses`.
pub(crate) fn bounds(shape: &'static Shape, raw: &RawDocument, owner: &str) -> Result<()> {
    for row in shape.fields {
        if row.max == 0 && row.shape.is_none() {
            continue;
        }
        if row.name.is_empty() {
            if let Some(inner) = row.shape {
                bounds(inner, raw, owner)?;
            }
            continue;
        }
        // A document that its own encoder wrote is well formed.
        let Some(value) = raw.get(row.name).ok().flatten() else {
            continue;
        };
        field(
            row.kind,
            row.max,
            row.shape,
            value,
            &format!("{owner}.{}", row.name),
        )?;
    }
    Ok(())
}

/// Checks the bounds of one value.
pub(crate) fn field(
    kind: Kind,
    max: u64,
    shape: Option<&'static Shape>,
    value: RawBsonRef<'_>,
    owner: &str,
) -> Result<()> {
    let elements: Vec<RawBsonRef<'_>> = match value {
        RawBsonRef::Array(array) => array
            .into_iter()
            .filter_map(std::result::Result::ok)
            .collect(),
        RawBsonRef::Document(map) if kind == Kind::Map => map
            .iter()
            .filter_map(|element| Some(element.ok()?.1))
            .collect(),
        RawBsonRef::Document(_) => vec![value],
        _ => return Ok(()),
    };
    let many = !matches!(value, RawBsonRef::Document(_)) || kind == Kind::Map;
    let len = elements.len() as u64;
    if many && max > 0 && len > max {
        return Err(Error::TooLong {
            field: owner.to_owned(),
            max,
            len,
        });
    }
    let Some(shape) = shape else { return Ok(()) };
    for element in elements {
        if let RawBsonRef::Document(inner) = element {
            bounds(shape, inner, owner)?;
        }
    }
    Ok(())
}
