//! Views with a fallback: where the source was not loaded, the copies beside the reference stand in for it.

use bson::{RawBsonRef, RawDocument, RawDocumentBuf};

use crate::schema::model::ModelMeta;
use crate::schema::rows::FieldRow;

/// A view whose values come from the copies in `E` where its source was not loaded: `#[projection(of = Part, fallback =
/// ProductPart)]`. `E` is a generated entry, or a model or embedded document with plain copies beside a reference.
///
/// Every field that is not an `Option` is the `_id` or copied into `E`; the others are then `None`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no fallback to the copies in `{E}`",
    label = "no fallback to `{E}`",
    note = "add `fallback = {E}` to its `#[projection(..)]`"
)]
pub trait FallsBack<E> {}

/// The document of `source` as far as the copies in `holder` know it: its `_id` (or the field that the reference holds) and
/// every copied field under its stored name there. `rows` are the holder's own, `via` is the Rust name of the reference, `id`
/// in an entry, and `key` the stored name of the source's field that the reference holds.
///
/// `None` where the holder refers to nothing.
#[must_use]
pub fn fallback_document(
    holder: &RawDocument,
    rows: &[FieldRow],
    via: &str,
    key: &'static str,
    source: &'static ModelMeta,
) -> Option<RawDocumentBuf> {
    let reference = rows.iter().find(|row| row.rust == via)?;
    let stored = |rust: &str| {
        let mut rows = source.shape.fields.iter();
        rows.find(|row| row.rust == rust).map(|row| row.name)
    };
    let copied = |row: &FieldRow| {
        let copy = row.copy.filter(|copy| copy.via == via);
        copy.filter(|copy| std::ptr::eq((copy.source)(), source))
    };
    let refers = match reference.relation {
        Some(relation) => std::ptr::eq((relation.target)(), source),
        // The id of an entry: what it refers to is what its copies come from.
        None => rows.iter().any(|row| copied(row).is_some()),
    };
    if !refers {
        return None;
    }
    // A document that its own encoder wrote is well formed.
    let value = |name: &str| holder.get(name).ok().flatten();
    let id = value(reference.name).filter(|id| !matches!(id, RawBsonRef::Null))?;
    let mut out = RawDocumentBuf::new();
    append(&mut out, key, id);
    for row in rows {
        let name = copied(row).and_then(|copy| stored(copy.field));
        if let (Some(name), Some(value)) = (name, value(row.name)) {
            append(&mut out, name, value);
        }
    }
    Some(out)
}

/// Field names come from tables that hold no NUL, so this does not fail.
fn append(out: &mut RawDocumentBuf, name: &'static str, value: RawBsonRef<'_>) {
    if let Ok(name) = bson::raw::CString::try_from(name) {
        out.append(name, value);
    }
}
