//! The parts of texts that stand beside them in a document, for the fields with `#[index(contains)]`.

use bson::raw::{RawArrayBuf, RawBson, RawBsonRef, RawDocument, RawDocumentBuf};
use bson::{Bson, Document};

use crate::bson_util::parts::parts_of;
use crate::codec::error::CodecError;
use crate::schema::model::ModelMeta;
use crate::schema::rows::{FieldRow, Shape};
use crate::schema::stored;

/// True if texts at the top of a document of this shape have their parts beside them.
pub(crate) const fn are_stored(shape: Option<&'static Shape>) -> bool {
    let Some(shape) = shape else {
        return false;
    };
    let mut n = 0;
    while n < shape.fields.len() {
        if shape.fields[n].contains > 0 {
            return true;
        }
        n += 1;
    }
    false
}

/// The fields whose texts have their parts beside them.
pub(crate) fn fields(shape: &'static Shape) -> impl Iterator<Item = &'static FieldRow> {
    shape.fields.iter().filter(|row| row.contains > 0)
}

/// The length of the parts of a text in this row.
fn length(row: &FieldRow) -> usize {
    usize::try_from(row.contains).unwrap_or(usize::MAX)
}

/// The parts of a value, as the document stores them; `None` for a value that is no text.
pub(crate) fn of_value(row: &FieldRow, value: &Bson) -> Option<Bson> {
    let parts = parts_of(value.as_str()?, length(row));
    Some(Bson::Array(parts.into_iter().map(Bson::String).collect()))
}

/// The parts that a document of the model stores beside its texts.
pub(crate) fn of_document(meta: &ModelMeta, document: &Document) -> Document {
    let parts = fields(meta.shape).filter_map(|row| {
        let parts = of_value(row, document.get(row.name)?)?;
        Some((row.name.to_owned(), parts))
    });
    parts.collect()
}

/// The paths whose stored parts are not those of the texts, each with the parts that it should have.
pub(crate) fn differences(
    meta: &ModelMeta,
    raw: &RawDocument,
) -> Vec<(&'static FieldRow, Option<Bson>)> {
    let get = |raw: &RawDocument, name: &str| {
        let value = raw.get(name).ok().flatten();
        value.and_then(|value| Bson::try_from(value).ok())
    };
    let stored = get(raw, stored::PARTS);
    let stored = stored.as_ref().and_then(Bson::as_document);
    let rows = fields(meta.shape).filter_map(|row| {
        let want = get(raw, row.name).and_then(|value| of_value(row, &value));
        let have = stored.and_then(|parts| parts.get(row.name));
        (have != want.as_ref()).then_some((row, want))
    });
    rows.collect()
}

/// Appends the parts of its texts to the document that begins at `start`.
pub(crate) fn append(
    shape: &'static Shape,
    to: &mut Vec<u8>,
    start: usize,
) -> Result<(), CodecError> {
    let mut parts = RawDocumentBuf::new();
    let raw = RawDocument::from_bytes(&to[start..])?;
    for row in fields(shape) {
        if let Some(RawBsonRef::String(text)) = raw.get(row.name)? {
            let mut array = RawArrayBuf::new();
            for part in parts_of(text, length(row)) {
                array.push(part);
            }
            parts.append(
                bson::raw::CString::try_from(row.name)?,
                RawBson::Array(array),
            );
        }
    }
    let mut whole = RawDocumentBuf::from_bytes(to.split_off(start))?;
    whole.append(stored::PARTS_KEY, parts);
    to.extend_from_slice(whole.as_bytes());
    Ok(())
}
