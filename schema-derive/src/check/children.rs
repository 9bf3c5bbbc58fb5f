//! Rules on two-way references, and on lists and counts of children, as far as the struct shows them.

use proc_macro2::Ident;

use crate::ctxt::Ctxt;
use crate::diag;
use crate::ir::{is_map, recent_entry};
use crate::names;
use crate::rules::{self, Rule};
use crate::syntax::{Field, Item, Kind, RecentAttr};
use crate::types;

/// "The last 1,000 messages", of the rules' own example.
const RECENT_DEFAULT: u64 = 1_000;
/// Each insert of a child rewrites the list: beyond this it costs tens of milliseconds.
const RECENT_MAX: u64 = 5_000;

pub(crate) fn check(item: &Item, cx: &Ctxt) {
    for field in item.body.fields() {
        cx.set_place(field.place);
        let attrs = &field.attrs;
        if let Some(refs) = &attrs.refs {
            check_inverse(item, field, refs.inverse.as_ref(), refs.key.as_ref(), cx);
        } else if let Some(parent) = &attrs.parent {
            check_inverse(
                item,
                field,
                parent.inverse.as_ref(),
                parent.key.as_ref(),
                cx,
            );
        }
        let (name, site) = match (&attrs.recent, &attrs.count) {
            (Some(recent), Some(_)) => {
                cx.push(diag::both_derived(&recent.site, &field.owner));
                continue;
            }
            (Some(recent), None) => ("recent", &recent.site),
            (None, Some(count)) => ("count", &count.site),
            (None, None) => continue,
        };
        if item.kind == Kind::Embed {
            cx.push(diag::derived_in_embed(site, name, &field.owner));
        } else if let Some(other) = conflicting_attribute(field) {
            cx.push(diag::derived_and(site, name, other, &field.owner));
        } else if let Some(with) = &field.serde.with {
            cx.push(diag::derived_with(with, name, &field.owner));
        } else if let Some(recent) = &attrs.recent {
            check_recent(item, field, recent, cx);
        }
    }
}

/// One side of a two-way reference.
fn check_inverse(
    item: &Item,
    field: &Field,
    inverse: Option<&Ident>,
    key: Option<&Ident>,
    cx: &Ctxt,
) {
    let Some(inverse) = inverse else { return };
    let owner = &field.owner;
    if item.kind == Kind::Embed {
        cx.push(diag::inverse_in_embed(inverse, owner));
    } else if let Some(key) = key {
        cx.push(diag::inverse_by_key(inverse, key, owner));
    } else if is_map(field) {
        cx.push(diag::inverse_map(inverse, owner));
    } else if let Some(with) = &field.serde.with {
        cx.push(diag::derived_with(with, "inverse", owner));
    }
}

/// An attribute on the same field that says what else it is.
fn conflicting_attribute(field: &Field) -> Option<&'static str> {
    let attrs = &field.attrs;
    let there = [
        ("refs", attrs.refs.is_some()),
        ("parent", attrs.parent.is_some()),
        ("denorm", !attrs.denorm.is_empty()),
        ("embed", attrs.embed.is_some()),
    ];
    let found = there.into_iter().find(|(_, there)| *there);
    found.map(|(name, _)| name)
}

/// A list of the last children.
fn check_recent(item: &Item, field: &Field, recent: &RecentAttr, cx: &Ctxt) {
    let owner = &field.owner;
    let array = types::array_element(&field.ty).is_some();
    if !array || recent_entry(field, Some(recent)).is_none() {
        cx.push(diag::recent_field_type(&field.ty, owner, &recent.child));
    }
    let mut seen: Vec<String> = Vec::new();
    for name in &recent.fields {
        let unraw = names::unraw(name);
        if unraw == "id" || unraw == "_id" {
            cx.push(diag::recent_id(name, owner, &recent.child));
        } else if seen.contains(&unraw) {
            cx.push(diag::recent_twice(name, owner));
        } else {
            seen.push(unraw);
        }
    }
    let Some(max) = &recent.max else { return };
    if max.value == 0 {
        cx.push(diag::zero_bound(&max.tokens, "recent", owner));
    } else if max.value > super::embed::ATLAS_MAX {
        cx.push(diag::recent_too_many(
            &max.tokens,
            owner,
            max.value,
            &recent.child,
            false,
        ));
    } else if max.value > RECENT_MAX
        && !recent.allow_large
        && !super::allowed(item, Some(field), &rules::RECENT_TOO_MANY)
    {
        cx.push(diag::recent_too_many(
            &max.tokens,
            owner,
            max.value,
            &recent.child,
            true,
        ));
    } else if max.value <= RECENT_MAX && recent.allow_large {
        cx.push(diag::allow_large_unused(
            &recent.site,
            "recent",
            owner,
            RECENT_MAX,
        ));
    }
}

pub(crate) fn advice(item: &Item) -> Vec<(&'static Rule, String)> {
    item.body
        .fields()
        .into_iter()
        .filter(|field| {
            let max = field
                .attrs
                .recent
                .as_ref()
                .and_then(|recent| recent.max.as_ref());
            max.is_some_and(|max| max.value > RECENT_DEFAULT)
        })
        .map(|field| (&rules::RECENT_LARGE, field.rust()))
        .collect()
}
