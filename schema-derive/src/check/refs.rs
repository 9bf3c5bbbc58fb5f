//! Rules 4.B and 4.C on references, as far as the struct shows them.

use crate::ctxt::Ctxt;
use crate::diag;
use crate::ir::{REFS_DEFAULT, is_map, membership, siblings};
use crate::rules::{self, Rule};
use crate::syntax::{Check, Field, Item, Kind, OnDelete, ParentAttr, RefsAttr, Sort};
use crate::types;

/// "A few thousand" (rule of thumb 3).
const REFS_MAX: u64 = 5_000;
/// Atlas reports a longer array as unbounded.
const REFS_ATLAS: u64 = 10_000;
/// How many ObjectIds fit `{ _id, parts: [..] }` in 16 MiB.
const REFS_PHYSICAL: u64 = 844_414;

pub(crate) fn check(item: &Item, cx: &Ctxt) {
    for field in item.body.fields() {
        cx.set_place(field.place);
        match (&field.attrs.refs, &field.attrs.parent) {
            (Some(_), Some(parent)) => cx.push(diag::conflict(
                &parent.site,
                "parent",
                "refs",
                &field.owner,
                "`refs` goes on an array of ids, `parent` on one id",
            )),
            (Some(refs), None) => {
                check_array_type(item, field, refs, cx);
                if let Some(via) = &refs.via
                    && membership(field, refs).is_none()
                {
                    cx.push(diag::via_of_ids(via, &field.owner));
                }
                check_bound(item, field, refs, cx);
            }
            (None, Some(parent)) => check_parent(item, field, parent, cx),
            (None, None) => {}
        }
    }
}

/// The field of `#[refs]` is an array, or a map of references without copies.
fn check_array_type(item: &Item, field: &Field, refs: &RefsAttr, cx: &Ctxt) {
    let (ty, owner, target) = (&field.ty, &field.owner, &refs.target);
    let optional = types::option_inner(ty);
    if types::array_element(ty).is_none() && is_known_single(field) {
        cx.push(diag::refs_field_type(ty, owner, target));
    } else if is_map(field) && !field.attrs.denorm.is_empty() {
        cx.push(diag::refs_map_copies(ty, owner, target));
    } else if is_map(field) && matches!(refs.check, Check::Checked) {
        cx.push(diag::refs_map_checked(&refs.site, owner, target));
    } else if optional.and_then(types::array_element).is_some()
        && !crate::check::allowed(item, Some(field), &rules::EMBED_OPTION_VEC)
    {
        cx.push(diag::option_vec(ty, owner, optional));
    }
}

/// The declared bound is one that a document can reach and should.
fn check_bound(item: &Item, field: &Field, refs: &RefsAttr, cx: &Ctxt) {
    let (owner, model, target) = (&field.owner, &item.ident, &refs.target);
    let allow_unused = || diag::allow_large_unused(&refs.site, "refs", owner, REFS_MAX);
    let Some(max) = &refs.max else {
        if refs.allow_large {
            cx.push(allow_unused());
        }
        return;
    };
    let (tokens, value) = (&max.tokens, max.value);
    let too_many = |allowable| diag::refs_too_many(tokens, owner, value, model, target, allowable);
    if value == 0 {
        cx.push(diag::zero_bound(tokens, "refs", owner));
    } else if value > REFS_PHYSICAL {
        cx.push(diag::refs_impossible(tokens, owner, value, model, target));
    } else if value > REFS_ATLAS {
        cx.push(too_many(false));
    } else if value <= REFS_MAX {
        if refs.allow_large {
            cx.push(allow_unused());
        }
    } else if !refs.allow_large && !crate::check::allowed(item, Some(field), &rules::REFS_TOO_MANY)
    {
        cx.push(too_many(true));
    }
}

fn check_parent(item: &Item, field: &Field, parent: &ParentAttr, cx: &Ctxt) {
    let (ty, owner) = (&field.ty, &field.owner);
    if types::array_element(ty).is_some() || types::map_value(ty).is_some() {
        cx.push(diag::parent_field_type(ty, owner, &parent.target));
        return;
    }
    let optional = types::option_inner(ty).is_some();
    if parent.on_delete == OnDelete::Unset && !optional {
        let embedded = item.kind == Kind::Embed;
        cx.push(diag::unset_required(&parent.site, owner, embedded));
    }
    if parent.on_delete == OnDelete::Pull && item.kind != Kind::Embed {
        cx.push(diag::pull_alone(&parent.site, owner, optional));
    }
    if let Some(sort) = &parent.sort {
        check_sort_field(item, field, sort, cx);
    }
}

/// The children of one parent are sorted by a stored field beside the reference.
fn check_sort_field(item: &Item, field: &Field, sort: &Sort, cx: &Ctxt) {
    let mut siblings = siblings(item, field);
    siblings.retain(|other| other.place != field.place && other.serde.skip.is_none());
    let names: Vec<String> = siblings.iter().map(|other| other.rust()).collect();
    if !names.contains(&crate::names::unraw(&sort.field)) {
        cx.push(diag::parent_sort_field(&sort.field, &field.owner, &names));
    }
}

/// True if the type is certainly one value. An unknown name may be an alias: a check in the expansion decides.
fn is_known_single(field: &Field) -> bool {
    let ty = types::option_inner(&field.ty).unwrap_or(&field.ty);
    types::last_ident(ty).is_some_and(|ident| {
        ["ObjectId", "Id", "String", "i32", "i64", "u32", "Uuid"]
            .iter()
            .any(|known| ident == known)
    })
}

pub(crate) fn advice(item: &Item) -> Vec<(&'static Rule, String)> {
    item.body
        .fields()
        .into_iter()
        .filter(|field| {
            let max = field.attrs.refs.as_ref().and_then(|refs| refs.max.as_ref());
            max.is_some_and(|max| max.value > REFS_DEFAULT)
        })
        .map(|field| (&rules::REFS_LARGE, field.rust()))
        .collect()
}
