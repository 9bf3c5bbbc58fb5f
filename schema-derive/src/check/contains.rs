//! Rules on `#[index(contains)]`, as far as the struct shows them.

use super::personal::field_of_model;
use crate::ctxt::Ctxt;
use crate::diag;
use crate::ir::{Fixed, Ir, Role, Row};
use crate::types;

pub(crate) fn check(ir: &Ir<'_>, cx: &Ctxt) {
    for row in ir.fields() {
        let Some(attr) = row.contains() else { continue };
        cx.set_place(row.place());
        let (site, owner) = (&attr.site, row.owner());
        if let Some(why) = field_of_model(ir)
            .map(str::to_owned)
            .or_else(|| field_error(row))
        {
            cx.push(diag::contains_place(site, owner, &why));
            continue;
        }
        match row.longest() {
            None => cx.push(diag::contains_unbounded(site, owner)),
            Some(longest) if longest > diag::LONGEST => {
                cx.push(diag::contains_long(site, owner, longest));
            }
            Some(_) => {}
        }
    }
}

/// The reason why the field cannot be found by its parts.
fn field_error(row: &Row<'_>) -> Option<String> {
    if !row.is_stored() {
        return Some("it is not stored".to_owned());
    }
    if let Some(fixed) = row.fixed().map(Fixed::name) {
        return Some(format!("it is `{fixed}`"));
    }
    if !matches!(row.role, Role::Own) || row.is_stored_as_id() {
        return Some("its value is a key or follows from other documents".to_owned());
    }
    let ty = types::option_inner(&row.field.ty).unwrap_or(&row.field.ty);
    let is_plain = types::plain_ident(ty).is_some_and(|ident| ident == "String")
        && !row.has_functions()
        && !row.opaque();
    (!is_plain).then(|| "it is no plain text".to_owned())
}
