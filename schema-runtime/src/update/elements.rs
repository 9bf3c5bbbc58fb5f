//! How elements that hold copies are told apart: beside the copies the library keeps their revision, which no value of the program
//! has, so that a comparison of whole elements would never find one.

use bson::{Bson, Document, doc};

use crate::error::Error;
use crate::model::{FieldRow, Kind, Shape};

/// Whether the elements of this array hold copies.
pub(super) fn hold_copies(row: &FieldRow) -> bool {
    row.shape.is_some_and(shape_holds_copies)
}

fn shape_holds_copies(shape: &Shape) -> bool {
    shape
        .fields
        .iter()
        .any(|row| row.copy.is_some() || row.shape.is_some_and(shape_holds_copies))
}

/// The stored name of the reference that the elements of this array are, with nothing beside it but copies.
pub(super) fn reference(row: &FieldRow) -> Option<&'static str> {
    if row.relation.is_some_and(|relation| relation.entry) {
        return Some("id");
    }
    let fields = row.shape?.fields;
    let mut own = fields.iter().filter(|field| field.copy.is_none());
    match (own.next(), own.next()) {
        (Some(one), None) if one.relation.is_some() && fields.len() > 1 => Some(one.name),
        _ => None,
    }
}

/// What an element equal to `value` meets: its reference, or its own fields. `None` where copies lie in arrays inside it, which
/// nothing can compare.
pub(super) fn condition(row: &FieldRow, value: &Bson) -> Option<Document> {
    let element = value.as_document()?;
    if let Some(reference) = reference(row) {
        return Some(doc! { reference: { "$eq": element.get(reference)? } });
    }
    let mut out = Document::new();
    own_fields(row.shape?, element, "", &mut out)?;
    Some(out)
}

fn own_fields(shape: &Shape, element: &Document, at: &str, out: &mut Document) -> Option<()> {
    for row in shape.fields.iter().filter(|row| row.copy.is_none()) {
        let path = match (at.is_empty(), row.name.is_empty()) {
            (true, _) => row.name.to_owned(),
            (_, true) => at.to_owned(),
            _ => format!("{at}.{}", row.name),
        };
        let value = if row.name.is_empty() {
            None
        } else {
            element.get(row.name)
        };
        match (row.shape.filter(|shape| shape_holds_copies(shape)), value) {
            (Some(_), _) if matches!(row.kind, Kind::Array | Kind::Map) => return None,
            (Some(shape), Some(Bson::Document(inner))) => own_fields(shape, inner, &path, out)?,
            (Some(shape), None) if row.name.is_empty() => own_fields(shape, element, &path, out)?,
            (_, Some(value)) => {
                out.insert(path, doc! { "$eq": value });
            }
            (_, None) => {
                out.insert(path, doc! { "$exists": false });
            }
        }
    }
    Some(())
}

pub(super) fn not_compared(owner: &str) -> Error {
    Error::Unsupported {
        what: format!(
            "elements of {owner} hold copies, so that no two are equal as a whole; name the ones you mean with `pull_where`, or `push`"
        ),
    }
}
