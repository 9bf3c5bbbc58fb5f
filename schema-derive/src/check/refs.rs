//! Rules 4.B and 4.C on references, as far as the struct shows them.

use super::allowed;
use crate::ctxt::Ctxt;
use crate::diag;
use crate::ir::{Ir, REFS_DEFAULT, Role, Row};
use crate::rules::{self, Rule};
use crate::syntax::{Check, OnDelete, ParentAttr, RefsAttr, Sort};
use crate::types;

/// "A few thousand" (rule of thumb 3).
const REFS_MAX: u64 = 5_000;
/// Atlas reports a longer array as unbounded.
const REFS_ATLAS: u64 = 10_000;
/// The number of ObjectIds that fit `{ _id, parts: [..] }` in 16 MiB.
const REFS_PHYSICAL: u64 = 844_414;

pub(crate) fn check(ir: &Ir<'_>, cx: &Ctxt) {
    for row in ir.fields() {
        cx.set_place(row.place());
        match (&row.role, row.second_reference()) {
            (Role::Refs { .. }, Some(parent)) => cx.push(diag::conflict(
                &parent.site,
                "parent",
                "refs",
                row.owner(),
                "`refs` goes on an array of ids, `parent` on one id",
            )),
            (Role::Refs { attr, member, .. }, None) => {
                check_array_type(ir, row, attr, cx);
                if let (Some(via), None) = (&attr.via, member) {
                    cx.push(diag::via_of_ids(via, row.owner()));
                }
                check_bound(ir, row, attr, cx);
            }
            (Role::Parent { attr, .. }, _) => check_parent(ir, row, attr, cx),
            _ => {}
        }
    }
}

/// Checks that the field of `#[refs]` is an array, or a map of references without copies.
fn check_array_type(ir: &Ir<'_>, row: &Row<'_>, refs: &RefsAttr, cx: &Ctxt) {
    let (ty, owner, target) = (&row.field.ty, row.owner(), &refs.target);
    let optional = types::option_inner(ty);
    if types::array_element(ty).is_none() && is_known_single(row) {
        cx.push(diag::refs_field_type(ty, owner, target));
    } else if row.is_map() && !row.copies().is_empty() {
        cx.push(diag::refs_map_copies(ty, owner, target));
    } else if row.is_map() && matches!(refs.check, Check::Checked) {
        cx.push(diag::refs_map_checked(&refs.site, owner, target));
    } else if optional.and_then(types::array_element).is_some()
        && !allowed(ir, Some(row), &rules::EMBED_OPTION_VEC)
    {
        cx.push(diag::option_vec(ty, owner, optional));
    }
}

/// Checks that a document can hold as many references as the bound declares, and that it should.
fn check_bound(ir: &Ir<'_>, row: &Row<'_>, refs: &RefsAttr, cx: &Ctxt) {
    let (owner, model, target) = (row.owner(), &ir.item.ident, &refs.target);
    let Some(max) = &refs.max else { return };
    let (tokens, value) = (&max.tokens, max.value);
    let too_many = |allowable| diag::refs_too_many(tokens, owner, value, model, target, allowable);
    if value == 0 {
        cx.push(diag::zero_bound(tokens, "refs", owner));
    } else if value > REFS_PHYSICAL {
        cx.push(diag::refs_impossible(tokens, owner, value, model, target));
    } else if value > REFS_ATLAS {
        cx.push(too_many(false));
    } else if value > REFS_MAX && !allowed(ir, Some(row), &rules::REFS_TOO_MANY) {
        cx.push(too_many(true));
    }
}

fn check_parent(ir: &Ir<'_>, row: &Row<'_>, parent: &ParentAttr, cx: &Ctxt) {
    let (ty, owner) = (&row.field.ty, row.owner());
    if types::array_element(ty).is_some() || types::map_value(ty).is_some() {
        cx.push(diag::parent_field_type(ty, owner, &parent.target));
        return;
    }
    let optional = types::option_inner(ty).is_some();
    if parent.on_delete == OnDelete::Unset && !optional {
        cx.push(diag::unset_required(&parent.site, owner, !ir.is_model()));
    }
    if parent.on_delete == OnDelete::Pull && ir.is_model() {
        cx.push(diag::pull_alone(&parent.site, owner, optional));
    }
    if let Some(sort) = &parent.sort {
        check_sort_field(ir, row, sort, cx);
    }
}

/// Checks that a stored field beside the reference sorts the children of one parent.
fn check_sort_field(ir: &Ir<'_>, row: &Row<'_>, sort: &Sort, cx: &Ctxt) {
    let siblings = ir.siblings(row);
    let siblings = siblings.filter(|other| !other.is(row) && other.is_stored());
    let names: Vec<String> = siblings.map(Row::rust).collect();
    if !names.contains(&crate::names::unraw(&sort.field)) {
        cx.push(diag::parent_sort_field(&sort.field, row.owner(), &names));
    }
}

/// True if the type is certainly one value. An unknown name may be an alias: a check in the expansion decides.
fn is_known_single(row: &Row<'_>) -> bool {
    let ty = types::option_inner(&row.field.ty).unwrap_or(&row.field.ty);
    types::last_ident(ty).is_some_and(|ident| {
        ["ObjectId", "Id", "String", "i32", "i64", "u32", "Uuid"]
            .iter()
            .any(|known| ident == known)
    })
}

pub(crate) fn advice(ir: &Ir<'_>) -> Vec<(&'static Rule, String)> {
    let large = ir.fields().filter(|row| match &row.role {
        Role::Refs { attr, .. } => {
            let max = attr.max.as_ref();
            max.is_some_and(|max| max.value > REFS_DEFAULT)
        }
        _ => false,
    });
    large.map(|row| (&rules::REFS_LARGE, row.rust())).collect()
}
