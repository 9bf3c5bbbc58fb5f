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
    Error::Impossible {
        what: format!(
            "elements of {owner} hold copies, so that no two are equal as a whole; name the ones you mean with `pull_where`, or `push`"
        ),
    }
}

/// True if the field refers to other documents, or something inside it does.
pub(crate) fn hold_relations(row: &FieldRow) -> bool {
    let inside = || {
        row.shape
            .is_some_and(|shape| shape.fields.iter().any(hold_relations))
    };
    row.relation.is_some() || row.copy.is_some() || row.derived.is_some() || inside()
}

pub(crate) fn refers(owner: &str) -> Error {
    Error::Impossible {
        what: format!(
            "{owner} of some elements holds references, whose copies would not follow; remove the elements with `pull_where` and `push` others, or `set` the whole array"
        ),
    }
}

/// Checks that a condition on elements compares their fields only: the server takes no other in an update.
pub(crate) fn check_condition(owner: &str, condition: &Document) -> Result<()> {
    for (key, value) in condition {
        if matches!(key.as_str(), "$and" | "$or" | "$nor") {
            let parts = value.as_array().into_iter().flatten();
            for part in parts.filter_map(Bson::as_document) {
                check_condition(owner, part)?;
            }
        } else if key.starts_with('$') {
            return Err(Error::Impossible {
                what: format!(
                    "a condition on elements of {owner} with `{key}`: compare their fields"
                ),
            });
        }
    }
    Ok(())
}

/// The condition with the name of the elements in front of each field.
pub(crate) fn prefixed(condition: Document, name: &str) -> Document {
    let fields = condition.into_iter().map(|(key, value)| match value {
        Bson::Array(parts) if key.starts_with('$') => {
            let parts = parts.into_iter().map(|part| match part {
                Bson::Document(part) => Bson::Document(prefixed(part, name)),
                part => part,
            });
            (key, Bson::Array(parts.collect()))
        }
        value => (format!("{name}.{key}"), value),
    });
    fields.collect()
}
