//! Rules 4.F on documents, types and names, as far as the struct shows them.

mod advice;
pub(crate) mod names;
mod stored;

pub(crate) use self::advice::advice;
use super::allowed;
use crate::ctxt::Ctxt;
use crate::diag;
use crate::ir::is_id;
use crate::rules;
use crate::syntax::{Body, Field, Item, Kind};
use crate::types;

pub(crate) fn check(item: &Item, cx: &Ctxt) {
    cx.set_place(0);
    names::check_collection(item, cx);
    stored::check_item(item, cx);
    if item.kind == Kind::Model && !matches!(item.body, Body::Enum(_)) {
        id_missing(item, cx);
    }
    for field in item.body.fields() {
        cx.set_place(field.place);
        stored::check_field(field, cx);
        if field.serde.skip.is_none() {
            names::check_field(item, field, cx);
            value(item, field, cx);
        }
    }
    names::check_duplicates(item, cx);
}

fn id_missing(item: &Item, cx: &Ctxt) {
    let fields = item.body.fields();
    let shapeless = fields.is_empty() && cx.has_failed_here();
    if shapeless || fields.iter().any(|field| is_id(item, field)) {
        return;
    }
    // The field that was meant: `id`, or an `_id` that a rename takes away.
    let meant = fields
        .iter()
        .find(|field| ["id", "_id"].contains(&field.rust().as_str()));
    cx.push(diag::id_missing(&item.ident, meant.copied()));
}

/// Checks the stored form of the field's type. One message per field: the first that fits.
fn value(item: &Item, field: &Field, cx: &Ctxt) {
    let (ty, owner) = (&field.ty, &field.owner);
    if is_id(item, field) {
        if types::option_inner(ty).is_some() {
            cx.push(diag::id_option(field));
            return;
        }
        let regex = types::last_ident(ty).is_some_and(|last| last == "Regex");
        if field.serde.with.is_none() && (types::stored_as_array(ty) || regex) {
            cx.push(diag::id_type(ty, owner));
            return;
        }
    }
    // `with = ..` stores something else, and an opaque type is the user's own affair.
    if field.serde.with.is_some() || field.attrs.opaque.is_some() {
        return;
    }
    if types::leaf_is(ty, &["i128", "u128"]) {
        cx.push(diag::int_range(field));
    } else if let Some(bytes) = types::bytes(ty) {
        if !allowed(item, Some(field), &rules::BYTES_AS_ARRAY) {
            cx.push(diag::bytes_as_array(field, bytes));
        }
    } else if let Some(date) = types::date(ty) {
        if !allowed(item, Some(field), &rules::DATE_AS_STRING) {
            cx.push(diag::date_as_string(field, date));
        }
    } else if types::is_uuid_crate(ty) && !allowed(item, Some(field), &rules::UUID_GENERIC) {
        cx.push(diag::uuid_generic(field));
    }
}

/// The fields that stand in one document: those of a struct, or of one variant each.
fn documents(item: &Item) -> Vec<Vec<&Field>> {
    match &item.body {
        Body::Struct(fields) => vec![fields.iter().collect()],
        // The name of an unnamed field is never stored.
        Body::Newtype(_) => Vec::new(),
        Body::Enum(variants) => variants
            .iter()
            .filter_map(|variant| match &variant.content {
                crate::syntax::Content::Struct(fields) => Some(fields.iter().collect()),
                _ => None,
            })
            .collect(),
    }
}

#[cfg(test)]
mod tests;
