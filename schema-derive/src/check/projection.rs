//! Checks of a projection as it is written: its shape, and its serde attributes.

use crate::ctxt::Ctxt;
use crate::diag;
use crate::syntax::Projection;
use crate::types;

pub(crate) fn check_projection(item: &Projection, cx: &Ctxt) {
    cx.set_place(0);
    let owner = crate::names::unraw(&item.ident);
    if let Some(param) = item
        .generics
        .params
        .first()
        .filter(|_| item.lifetime().is_none())
    {
        cx.push(diag::projection_generic(param, &owner));
    }
    if let (Some(lent), Some(fallback)) = (item.lifetime(), &item.fallback) {
        cx.push(diag::projection_lent_fallback(fallback, lent, &owner));
    }
    if item.fields.is_empty() && !cx.has_failed_here() {
        cx.push(diag::projection_empty(&item.ident, &owner));
    }
    let serde = &item.serde;
    if let Some(site) = &serde.deny_unknown_fields {
        cx.push(diag::projection_deny_unknown(site, &owner));
    }
    let tag = serde.tag_tokens.as_ref();
    for (site, word) in [(tag, "tag"), (serde.transparent.as_ref(), "transparent")] {
        if let Some(site) = site {
            cx.push(diag::projection_serde(site, word, &owner));
        }
    }
    for conversion in &serde.conversions {
        // A projection is never written.
        if conversion.key != "into" {
            cx.push(diag::projection_serde(
                &conversion.tokens,
                &conversion.key,
                &owner,
            ));
        }
    }
    for field in &item.fields {
        cx.set_place(field.place);
        let serde = &field.serde;
        if let Some(lent) = item.lifetime()
            && !types::borrows(&field.ty)
            && types::mentions(&field.ty, lent)
        {
            cx.push(diag::projection_lent_type(&field.ty, &field.owner));
        }
        if let Some(site) = &serde.flatten {
            cx.push(diag::projection_serde(site, "flatten", &field.owner));
        }
        // A field that serde reads but does not write is a field like any other.
        if let Some(site) = serde.skip.as_ref().filter(|_| !serde.sought) {
            cx.push(diag::projection_skip(site, &field.owner));
        }
        if let Some(site) = serde.with.as_ref().filter(|_| field.nested) {
            cx.push(diag::projection_nested_with(site, &field.owner));
        }
    }
}
