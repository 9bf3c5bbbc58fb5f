//! Rules 4.F on documents, types and names, as far as the struct shows them.

mod advice;
pub(crate) mod names;
mod stored;

pub(crate) use self::advice::advice;
use super::allowed;
use crate::ctxt::Ctxt;
use crate::diag;
use crate::ir::{Ir, Row};
use crate::rules;
use crate::syntax::Body;
use crate::types;

pub(crate) fn check(ir: &Ir<'_>, cx: &Ctxt) {
    cx.set_place(0);
    names::check_collection(ir, cx);
    stored::check_item(ir, cx);
    if ir.is_model() && !matches!(ir.item.body, Body::Enum(_)) {
        id_missing(ir, cx);
    }
    for row in ir.fields() {
        cx.set_place(row.place());
        stored::check_field(row, cx);
        if row.is_stored() {
            names::check_field(ir, row, cx);
            value(ir, row, cx);
        }
    }
    names::check_duplicates(ir, cx);
}

fn id_missing(ir: &Ir<'_>, cx: &Ctxt) {
    let shapeless = ir.fields().next().is_none() && cx.has_failed_here();
    if shapeless || ir.id().is_some() {
        return;
    }
    // The field that was meant: `id`, or an `_id` that a rename takes away.
    let meant = ir.fields().find(|row| row.is_called_id());
    let meant = meant.map(|row| row.field);
    cx.push(diag::id_missing(&ir.item.ident, meant));
}

/// Checks the stored form of the field's type. One message per field: the first that fits.
fn value(ir: &Ir<'_>, row: &Row<'_>, cx: &Ctxt) {
    let (field, ty) = (row.field, &row.field.ty);
    if row.is_id {
        if types::option_inner(ty).is_some() {
            cx.push(diag::id_option(field));
            return;
        }
        let regex = types::last_ident(ty).is_some_and(|last| last == "Regex");
        if !row.has_functions() && (types::stored_as_array(ty) || regex) {
            cx.push(diag::id_type(ty, row.owner()));
            return;
        }
    }
    // `with = ..` stores something else, and an opaque type is the user's own affair.
    if row.has_functions() || row.is_declared_opaque() {
        return;
    }
    if types::leaf_is(ty, &["i128", "u128"]) {
        cx.push(diag::int_range(field));
    } else if let Some(bytes) = types::bytes(ty) {
        if !allowed(ir, Some(row), &rules::BYTES_AS_ARRAY) {
            cx.push(diag::bytes_as_array(field, bytes));
        }
    } else if let Some(date) = types::date(ty) {
        if !allowed(ir, Some(row), &rules::DATE_AS_STRING) {
            cx.push(diag::date_as_string(field, date));
        }
    } else if types::is_uuid_crate(ty) && !allowed(ir, Some(row), &rules::UUID_GENERIC) {
        cx.push(diag::uuid_generic(field));
    } else if types::is_decimal_crate(ty) && !allowed(ir, Some(row), &rules::DECIMAL_AS_STRING) {
        cx.push(diag::decimal_as_string(field));
    }
}

#[cfg(test)]
mod tests;
