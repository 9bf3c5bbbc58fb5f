//! Null where an array, a set or a map may be absent: neither serde nor a generated codec reads it, so it is left out where they have
//! refused a document.

use bson::{Bson, Document, RawDocument, RawDocumentBuf};

use crate::schema::rows::{FieldRow, Kind, Shape};

/// The document without the nulls of arrays, sets and maps that have a `#[serde(default)]`; `None` if there are none.
pub(super) fn without(raw: &RawDocument, shape: &'static Shape) -> Option<RawDocumentBuf> {
    let mut document = Document::try_from(raw).ok()?;
    let removed = remove(&mut document, shape);
    RawDocumentBuf::try_from(&document).ok().filter(|_| removed)
}

/// True if the field is an array, a set or a map that a document may be without.
fn is_collection(row: &FieldRow) -> bool {
    row.absent && !row.nullable && matches!(row.kind, Kind::Array | Kind::Map)
}

fn remove(document: &mut Document, shape: &'static Shape) -> bool {
    let mut removed = false;
    for row in shape.fields {
        if row.name.is_empty() {
            let inner = row.shape.filter(|_| row.kind != Kind::Map);
            removed |= inner.is_some_and(|inner| remove(document, inner));
            continue;
        }
        for name in row.aliases.iter().copied().chain([row.name]) {
            match document.get_mut(name) {
                Some(Bson::Null) if is_collection(row) => {
                    document.remove(name);
                    removed = true;
                }
                Some(value) => removed |= remove_inside(value, row),
                None => {}
            }
        }
    }
    removed
}

fn remove_inside(value: &mut Bson, row: &FieldRow) -> bool {
    let Some(shape) = row.shape else {
        return false;
    };
    let in_one = |value: &mut Bson| {
        let inner = value.as_document_mut();
        inner.is_some_and(|inner| remove(inner, shape))
    };
    // Goes through all elements, even if something was removed from an earlier one.
    match value {
        Bson::Array(elements) => {
            elements
                .iter_mut()
                .filter_map(|value| in_one(value).then_some(()))
                .count()
                > 0
        }
        Bson::Document(entries) if row.kind == Kind::Map => {
            entries
                .iter_mut()
                .filter_map(|(_, value)| in_one(value).then_some(()))
                .count()
                > 0
        }
        value => in_one(value),
    }
}
