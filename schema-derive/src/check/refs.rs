//! Rules 4.B and 4.C on references, as far as the struct shows them.

use crate::ctxt::Ctxt;
use crate::diag;
use crate::ir::{REFS_DEFAULT, is_map, membership, siblings};
use crate::rules::{self, Rule};
use crate::syntax::{Check, Field, Item, Kind, OnDelete};
use crate::types;

/// "A few thousand" (rule of thumb 3).
const REFS_MAX: u64 = 5_000;
/// Atlas reports a longer array as unbounded.
const REFS_ATLAS: u64 = 10_000;
/// How many ObjectIds fit `{ _id, parts: [..] }` in 16 MiB.
const REFS_PHYSICAL: u64 = 844_414;

pub(crate) fn check(item: &Item, cx: &Ctxt) {
    for field in item.body.fields() {
        cx.at(field.place);
        if let Some(refs) = &field.attrs.refs {
            if let Some(parent) = &field.attrs.parent {
                cx.push(diag::conflict(
                    &parent.site,
                    "parent",
                    "refs",
                    &field.owner,
                    "`refs` goes on an array of ids, `parent` on one id",
                ));
                continue;
            }
            if types::array_element(&field.ty).is_none() && known_single(field) {
                cx.push(diag::refs_field_type(&field.ty, &field.owner, &refs.target));
            } else if is_map(field) && !field.attrs.denorm.is_empty() {
                cx.push(diag::refs_map_copies(&field.ty, &field.owner, &refs.target));
            } else if is_map(field) && matches!(refs.check, Check::Checked) {
                cx.push(diag::refs_map_checked(
                    &refs.site,
                    &field.owner,
                    &refs.target,
                ));
            } else if types::option_inner(&field.ty)
                .and_then(types::array_element)
                .is_some()
                && !crate::check::allowed(item, Some(field), &rules::EMBED_OPTION_VEC)
            {
                cx.push(diag::option_vec(
                    &field.ty,
                    &field.owner,
                    types::option_inner(&field.ty),
                ));
            }
            if let Some(via) = &refs.via
                && membership(field, refs).is_none()
            {
                cx.push(diag::via_of_ids(via, &field.owner));
            }
            let Some(max) = &refs.max else {
                if refs.allow_large {
                    cx.push(diag::allow_large_unused(
                        &refs.site,
                        "refs",
                        &field.owner,
                        REFS_MAX,
                    ));
                }
                continue;
            };
            if max.value == 0 {
                cx.push(diag::zero_bound(&max.tokens, "refs", &field.owner));
            } else if max.value > REFS_PHYSICAL {
                cx.push(diag::refs_impossible(
                    &max.tokens,
                    &field.owner,
                    max.value,
                    &item.ident,
                    &refs.target,
                ));
            } else if max.value > REFS_ATLAS {
                cx.push(diag::refs_too_many(
                    &max.tokens,
                    &field.owner,
                    max.value,
                    &item.ident,
                    &refs.target,
                    false,
                ));
            } else if max.value > REFS_MAX
                && !refs.allow_large
                && !crate::check::allowed(item, Some(field), &rules::REFS_TOO_MANY)
            {
                cx.push(diag::refs_too_many(
                    &max.tokens,
                    &field.owner,
                    max.value,
                    &item.ident,
                    &refs.target,
                    true,
                ));
            } else if max.value <= REFS_MAX && refs.allow_large {
                cx.push(diag::allow_large_unused(
                    &refs.site,
                    "refs",
                    &field.owner,
                    REFS_MAX,
                ));
            }
        } else if let Some(parent) = &field.attrs.parent {
            if types::array_element(&field.ty).is_some() || types::map_value(&field.ty).is_some() {
                cx.push(diag::parent_field_type(
                    &field.ty,
                    &field.owner,
                    &parent.target,
                ));
                continue;
            }
            if parent.on_delete == OnDelete::Unset && types::option_inner(&field.ty).is_none() {
                let embedded = item.kind == Kind::Embed;
                cx.push(diag::unset_required(&parent.site, &field.owner, embedded));
            }
            if parent.on_delete == OnDelete::Pull && item.kind != Kind::Embed {
                let optional = types::option_inner(&field.ty).is_some();
                cx.push(diag::pull_alone(&parent.site, &field.owner, optional));
            }
            if let Some(sort) = &parent.sort {
                let siblings = siblings(item, field);
                match siblings
                    .iter()
                    .find(|sibling| sibling.rust() == crate::names::unraw(&sort.field))
                {
                    Some(found) if found.serde.skip.is_none() && found.place != field.place => {}
                    _ => {
                        let names: Vec<String> = siblings
                            .iter()
                            .filter(|other| {
                                other.place != field.place && other.serde.skip.is_none()
                            })
                            .map(|field| field.rust())
                            .collect();
                        cx.push(diag::parent_sort_field(&sort.field, &field.owner, &names));
                    }
                }
            }
        }
    }
}

/// True if the type is certainly one value. An unknown name may be an alias: a check in the expansion decides.
fn known_single(field: &Field) -> bool {
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
