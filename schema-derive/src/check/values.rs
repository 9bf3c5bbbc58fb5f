//! Rules on `#[check(..)]`, as far as the struct shows them.

mod pattern;

use quote::ToTokens;

use crate::ctxt::Ctxt;
use crate::diag::{self, Diag};
use crate::ir::{Ir, Row};
use crate::syntax::{Attr, Body, End, Part, ValueCheck, ValueRule};
use crate::types;

/// A float holds every whole number up to this one.
const EXACT: i64 = 1 << 53;

pub(crate) fn check(ir: &Ir<'_>, cx: &Ctxt) {
    for row in ir.fields() {
        let Some(check) = row.check() else {
            continue;
        };
        cx.set_place(row.place());
        if let Some(refused) = refused_place(ir, row, &check.site) {
            cx.push(refused);
        }
        for one in &check.checks {
            let of_items = one.part == Part::Whole && super::bucket::holds_items(ir, row);
            if of_items {
                cx.push(diag::check_items(&one.tokens, row.owner()));
            } else if let ValueRule::Pattern(pattern) = &one.rule
                && let Some(construct) = pattern::refused(pattern)
            {
                cx.push(diag::check_pattern(&one.tokens, row.owner(), &construct));
            } else if let ValueRule::Pattern(pattern) = &one.rule
                && let Some(error) = pattern::error(pattern)
            {
                cx.push(diag::check_no_pattern(&one.tokens, row.owner(), &error));
            } else if !can_be_met(&one.rule) {
                cx.push(diag::check_never_met(&one.tokens, row.owner(), one));
            } else if let Some(max) = contradicted(row, one) {
                cx.push(diag::check_contradicts(&one.tokens, row.owner(), max));
            }
        }
    }
}

/// Refuses a check of a field that the program does not write, or whose form the derive does not know; the message points at `site`.
pub(super) fn refused_place(ir: &Ir<'_>, row: &Row<'_>, site: &dyn ToTokens) -> Option<Diag> {
    let kept = row.first_of(&[
        Attr::Refs,
        Attr::Parent,
        Attr::Denorm,
        Attr::Recent,
        Attr::Count,
        Attr::Sum,
        Attr::Avg,
        Attr::Min,
        Attr::Max,
        Attr::Version,
        Attr::Created,
        Attr::Updated,
        Attr::Deleted,
        Attr::Opaque,
    ]);
    let (owner, serde) = (row.owner(), &row.field.serde);
    let overflows = row.embed().is_some_and(|embed| embed.overflow.is_some());
    if matches!(ir.item.body, Body::Newtype(_)) {
        Some(diag::check_on_newtype(site, owner))
    } else if !ir.item.generics.params.is_empty() {
        Some(diag::check_in_generic(site, owner))
    } else if let Some(kept) = kept {
        Some(diag::check_and(site, owner, kept))
    } else if overflows {
        Some(diag::check_and(site, owner, "overflow"))
    } else if row.has_functions() {
        Some(diag::check_and(site, owner, "with"))
    } else {
        let skip = serde.skip_if.as_ref().filter(|_| serde.skip.is_none())?;
        let is_optional = types::option_inner(&row.field.ty).is_some();
        (!is_optional).then(|| diag::check_left_out(skip, owner))
    }
}

/// The part of a field that is finite in a strict model: a float or decimal without a `#[check(..)]` that says otherwise, also in a document.
pub(crate) fn default_finite(ir: &Ir<'_>, row: &Row<'_>) -> Option<Part> {
    let ty = types::option_inner(&row.field.ty).unwrap_or(&row.field.ty);
    let element = types::array_element(ty);
    let part = match element {
        Some(_) => Part::Each,
        None => Part::Whole,
    };
    let value = element.unwrap_or(ty);
    let value = types::option_inner(value).unwrap_or(value);
    let name = types::plain_ident(value)?;
    let may_be_strict = ir.item.attrs.strict || !ir.is_model();
    if !may_be_strict
        || !["f64", "f32", "Decimal128"]
            .iter()
            .any(|number| name == number)
    {
        return None;
    }
    let is_finite = |rule: &ValueRule| match rule {
        ValueRule::Finite => true,
        ValueRule::Range { min, max, .. } => min.is_some() && max.is_some(),
        _ => false,
    };
    let says_so = row.check().is_some_and(|check| {
        let mut rules = check.checks.iter().filter(|one| one.part == part);
        check.not_finite || rules.any(|one| is_finite(&one.rule))
    });
    let is_judged = refused_place(ir, row, &row.field.ident).is_none();
    (!says_so && is_judged).then_some(part)
}

/// True if there is a value that meets the rule.
fn can_be_met(rule: &ValueRule) -> bool {
    match rule {
        ValueRule::Len { min, max } => min <= max && *max > 0,
        ValueRule::Range {
            min: Some(min),
            max: Some(max),
            exclusive,
        } => {
            let order = match (min, max) {
                (End::Int(min), End::Int(max)) => Some(min.cmp(max)),
                (min, max) => number(*min).partial_cmp(&number(*max)),
            };
            order.is_some_and(|order| order.is_lt() || order.is_eq() && !exclusive)
        }
        ValueRule::Range {
            max: Some(End::Int(i64::MIN)),
            exclusive: true,
            ..
        } => false,
        _ => true,
    }
}

/// The end of a range as a float; an integer is limited to those that a float holds exactly.
#[allow(clippy::cast_precision_loss)]
fn number(end: End) -> f64 {
    match end {
        End::Int(n) => n.clamp(-EXACT, EXACT) as f64,
        End::Float(n) => n,
    }
}

/// The bound that leaves no value which meets the rule.
fn contradicted(row: &Row<'_>, one: &ValueCheck) -> Option<(&'static str, u64)> {
    let ValueRule::Len { min, .. } = one.rule else {
        return None;
    };
    let is_array =
        types::array_element(types::option_inner(&row.field.ty).unwrap_or(&row.field.ty));
    let (name, max) = match is_array {
        Some(_) if one.part == Part::Whole => ("max", row.max),
        _ => ("max_len", row.max_len().map_or(0, |max| max.value)),
    };
    (max > 0 && min > max).then_some((name, max))
}
