//! Rules on two-way references, and on lists and counts of children, as far as the struct shows them.

use crate::ctxt::Ctxt;
use crate::diag;
use crate::ir::{Ir, Role, Row};
use crate::names;
use crate::rules::{self, Rule};
use crate::syntax::{Attr, CountAttr, CountMax, RecentAttr};
use crate::types;

/// A larger bound is worth advice: "the last 1,000 messages" is the example of the rules.
const RECENT_DEFAULT: u64 = 1_000;
/// Each insert of a child rewrites the list: beyond this it costs tens of milliseconds.
const RECENT_MAX: u64 = 5_000;

/// Attributes that make the field something else than a list or a count of children.
const CONFLICTING: &[Attr] = &[Attr::Refs, Attr::Parent, Attr::Denorm, Attr::Embed];

pub(crate) fn check(ir: &Ir<'_>, cx: &Ctxt) {
    for row in ir.fields() {
        cx.set_place(row.place());
        check_inverse(ir, row, cx);
        let (name, site) = match row.derived() {
            (Some(recent), Some(number)) => {
                cx.push(diag::both_derived(&recent.site, number.name(), row.owner()));
                continue;
            }
            (Some(recent), None) => ("recent", &recent.site),
            (None, Some(number)) => (number.name(), &number.site),
            (None, None) => continue,
        };
        let owner = row.owner();
        if !ir.is_model() {
            cx.push(diag::derived_in_embed(site, name, owner));
        } else if let Some(other) = row.first_of(CONFLICTING) {
            cx.push(diag::derived_and(site, name, other, owner));
        } else if let Some(with) = &row.field.serde.with {
            cx.push(diag::derived_with(with, name, owner));
        } else if let Role::Recent {
            attr: Some(recent), ..
        } = &row.role
        {
            check_recent(ir, row, recent, cx);
        } else if let Role::Count(number) = &row.role {
            check_count_max(ir, row, number, cx);
        }
    }
}

/// Checks a side of a two-way reference.
fn check_inverse(ir: &Ir<'_>, row: &Row<'_>, cx: &Ctxt) {
    let Some(inverse) = row.inverse() else { return };
    let owner = row.owner();
    if !ir.is_model() {
        cx.push(diag::inverse_in_embed(inverse, owner));
    } else if let Some(key) = row.key() {
        cx.push(diag::inverse_by_key(inverse, key, owner));
    } else if row.is_map() {
        cx.push(diag::inverse_map(inverse, owner));
    } else if let Some(with) = &row.field.serde.with {
        cx.push(diag::derived_with(with, "inverse", owner));
    }
}

/// Checks the bound of a number of children.
fn check_count_max(ir: &Ir<'_>, row: &Row<'_>, number: &CountAttr, cx: &Ctxt) {
    let owner = row.owner();
    match &number.max {
        None => {}
        Some(max) if !number.only.is_empty() => {
            cx.push(diag::count_max_and_only(max.tokens(), owner));
        }
        Some(CountMax::Number(max)) if max.value == 0 || i64::try_from(max.value).is_err() => {
            cx.push(diag::count_max_number(&max.tokens, owner));
        }
        Some(CountMax::Number(_)) => {}
        Some(CountMax::Field(field)) => match ir.field(field) {
            None => cx.push(diag::count_max_unknown(field, owner, &ir.name())),
            Some(bound) if !matches!(bound.role, Role::Own) || !bound.is_stored() => {
                cx.push(diag::count_max_kept(field, owner));
            }
            Some(_) => {}
        },
    }
}

/// Checks a list of the last children.
fn check_recent(ir: &Ir<'_>, row: &Row<'_>, recent: &RecentAttr, cx: &Ctxt) {
    let (ty, owner) = (&row.field.ty, row.owner());
    let array = types::array_element(ty).is_some();
    if !array || row.entry().is_none() {
        cx.push(diag::recent_field_type(ty, owner, &recent.child));
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
    } else if max.value > RECENT_MAX && !super::allowed(ir, Some(row), &rules::RECENT_TOO_MANY) {
        cx.push(diag::recent_too_many(
            &max.tokens,
            owner,
            max.value,
            &recent.child,
            true,
        ));
    }
}

pub(crate) fn advice(ir: &Ir<'_>) -> Vec<(&'static Rule, String)> {
    let large = ir.fields().filter(|row| match &row.role {
        Role::Recent { attr, .. } => {
            let max = attr.and_then(|attr| attr.max.as_ref());
            max.is_some_and(|max| max.value > RECENT_DEFAULT)
        }
        _ => false,
    });
    large
        .map(|row| (&rules::RECENT_LARGE, row.rust()))
        .collect()
}
