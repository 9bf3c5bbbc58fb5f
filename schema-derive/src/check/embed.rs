//! Rules 4.A on embedded documents and arrays, as far as the struct shows them.

use super::allowed;
use crate::ctxt::Ctxt;
use crate::diag;
use crate::ir::{Ir, Role, Row};
use crate::rules;
use crate::syntax::{Body, EmbedAttr};
use crate::types;

/// "A couple of hundred" (rule of thumb 3).
pub(crate) const EMBED_MAX: u64 = 200;
/// Atlas reports a longer array as unbounded.
pub(crate) const ATLAS_MAX: u64 = 10_000;

pub(crate) fn check(ir: &Ir<'_>, cx: &Ctxt) {
    for row in ir.fields() {
        cx.set_place(row.place());
        check_recursion(ir, row, cx);
        check_generic(ir, row, cx);
        check_max_len(ir, row, cx);
        let Some(embed) = row.embed() else {
            continue;
        };
        let reference = match &row.role {
            Role::Refs { attr, .. } => Some(("refs", &attr.target)),
            Role::Parent { attr, .. } => Some(("parent", &attr.target)),
            _ => None,
        };
        match reference {
            Some((name, target)) => {
                let owner = row.owner();
                cx.push(diag::refs_and_embed(&embed.site, owner, name, target));
            }
            None => check_bound(ir, row, embed, cx),
        }
    }
}

/// A newtype has no length of its own.
fn check_max_len(ir: &Ir<'_>, row: &Row<'_>, cx: &Ctxt) {
    let newtype = matches!(ir.item.body, Body::Newtype(_));
    if let Some(max_len) = row.max_len().filter(|_| newtype) {
        let belongs = "it belongs on the fields that hold one";
        cx.push(diag::option_misplaced(
            &max_len.tokens,
            "max_len",
            row.owner(),
            belongs,
        ));
    }
}

/// Checks that a document can hold as many elements as the bound declares, and that it should.
fn check_bound(ir: &Ir<'_>, row: &Row<'_>, embed: &EmbedAttr, cx: &Ctxt) {
    let Some(max) = &embed.max else { return };
    let (ty, owner) = (&row.field.ty, row.owner());
    // Scalars are small: only Atlas's bound limits their array without a reason. The number of items in a bucket is advice.
    let few = if holds_scalars(row) || super::bucket::holds_items(ir, row) {
        ATLAS_MAX
    } else {
        EMBED_MAX
    };
    if max.value == 0 {
        cx.push(diag::zero_bound(&max.tokens, "embed", owner));
    } else if max.value > ATLAS_MAX {
        cx.push(diag::embed_over_atlas(&max.tokens, owner, max.value));
    } else if max.value > few && !allowed(ir, Some(row), &rules::EMBED_TOO_MANY) {
        cx.push(diag::embed_too_many(
            &max.tokens,
            owner,
            max.value,
            element(row),
        ));
    }
    let optional = types::option_inner(ty);
    if optional.and_then(types::array_element).is_some()
        && !allowed(ir, Some(row), &rules::EMBED_OPTION_VEC)
    {
        cx.push(diag::option_vec(ty, owner, optional));
    }
}

/// True if the elements of the array or map are certainly no documents.
fn holds_scalars(row: &Row<'_>) -> bool {
    let ty = types::option_inner(&row.field.ty).unwrap_or(&row.field.ty);
    let element = types::array_element(ty).or_else(|| types::map_value(ty).map(|(_, value)| value));
    element.is_some_and(types::well_known)
}

/// In a generic type no const can ask the field's type, so an array is judged as it is written.
fn check_generic(ir: &Ir<'_>, row: &Row<'_>, cx: &Ctxt) {
    let bounded = row.embed().is_some()
        || matches!(row.role, Role::Refs { .. })
        || row.broken().is_some()
        || !row.is_stored()
        || row.is_declared_opaque();
    if bounded || ir.item.generics.type_params().next().is_none() {
        return;
    }
    let ty = &row.field.ty;
    let rule = if types::array_element(ty).is_some() {
        &rules::EMBED_UNBOUNDED
    } else if types::map_value(ty).is_some() {
        &rules::EMBED_MAP
    } else {
        return;
    };
    if !allowed(ir, Some(row), rule) {
        cx.push(diag::unbounded_generic(ty, rule, row.owner()));
    }
}

/// Checks that a type does not embed itself: its own name may stand only in a reference.
fn check_recursion(ir: &Ir<'_>, row: &Row<'_>, cx: &Ctxt) {
    if row.is_recursive && row.is_stored() && !row.is_declared_opaque() {
        cx.push(diag::embed_recursive(
            &row.field.ty,
            row.owner(),
            &ir.item.ident,
            ir.item.kind,
        ));
    }
}

/// The name of the element of an array, as a message shows it.
fn element(row: &Row<'_>) -> String {
    types::array_element(&row.field.ty)
        .and_then(types::last_ident)
        .map_or_else(|| "Item".to_owned(), ToString::to_string)
}
