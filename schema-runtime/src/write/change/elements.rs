//! Compares array elements that hold copies. A comparison of whole elements would never match, because the library stores the
//! copies' revision beside them, which no value of the program contains.

use bson::{Bson, Document, doc};

use crate::error::{Error, Result};
use crate::filter::whole;
use crate::schema::rows::FieldRow;

/// True if the elements of this array hold copies.
pub(crate) fn hold_copies(row: &FieldRow) -> bool {
    row.facts.size.copies
}

/// The stored name of the reference in the array's elements, if an element consists of one reference and copies only.
pub(crate) fn reference(row: &FieldRow) -> Option<&'static str> {
    if let Some(relation) = row.relation.filter(|relation| relation.entry) {
        return Some(relation.entry_id);
    }
    let fields = row.shape?.fields;
    let mut own = fields.iter().filter(|field| field.copy.is_none());
    match (own.next(), own.next()) {
        (Some(one), None) if one.relation.is_some() && fields.len() > 1 => Some(one.name),
        _ => None,
    }
}

/// The condition that an element of the array at `path` equals `value`: by its reference, or by all its fields.
pub(crate) fn condition(
    model: &'static str,
    row: &FieldRow,
    path: &str,
    value: &Bson,
) -> Result<Document> {
    let not_compared = || not_compared(&format!("{model}.{path}"));
    let element = value.as_document().ok_or_else(not_compared)?;
    match (reference(row), row.shape) {
        (Some(reference), _) => {
            let id = element.get(reference).ok_or_else(not_compared)?;
            Ok(doc! { reference: { "$eq": id } })
        }
        (None, Some(shape)) => whole::element(model, shape, element, path),
        (None, None) => Err(not_compared()),
    }
}

pub(crate) fn not_compared(owner: &str) -> Error {
    Error::Unsupported {
        what: format!(
            "elements of {owner} hold copies, so that no two are equal as a whole; name the ones you mean with `pull_where`, or `push`"
        ),
    }
}
