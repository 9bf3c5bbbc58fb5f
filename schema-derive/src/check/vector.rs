//! Rules on `#[index(vector(..))]`, as far as the struct shows them.

use super::personal::field_of_model;
use crate::ctxt::Ctxt;
use crate::diag;
use crate::ir::{Ir, Role, Row};

pub(crate) fn check(ir: &Ir<'_>, cx: &Ctxt) {
    for row in ir.fields() {
        let Some(attr) = row.vector() else { continue };
        cx.set_place(row.place());
        let (site, owner) = (&attr.site, row.owner());
        if let Some(why) = field_of_model(ir).or_else(|| field_error(row)) {
            cx.push(diag::vector_place(site, owner, why));
            continue;
        }
        let dimensions = &attr.dimensions;
        if !(1..=diag::DIMENSIONS).contains(&dimensions.value) {
            let (tokens, value) = (&dimensions.tokens, dimensions.value);
            cx.push(diag::vector_dimensions(tokens, owner, value));
        }
        for name in &attr.filter {
            let is_field = |row: &Row<'_>| {
                row.is_stored()
                    && !row.is_flattened()
                    && row.field.rust() == crate::names::unraw(name)
            };
            if !ir.fields().any(is_field) {
                cx.push(diag::vector_filter(name, owner));
            }
        }
    }
}

/// The reason why the field cannot have an index of vectors.
fn field_error(row: &Row<'_>) -> Option<&'static str> {
    if !row.is_stored() {
        return Some("it is not stored");
    }
    if !matches!(row.role, Role::Own) || row.is_stored_as_id() {
        return Some("its value is a key or follows from other documents");
    }
    let is_opaque = row.has_functions() || row.opaque();
    is_opaque.then_some("its stored form is not known")
}
