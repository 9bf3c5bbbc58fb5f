//! Rules on `#[model(check(start < end))]`, as far as the struct shows them.

use super::values::refused_place;
use crate::ctxt::Ctxt;
use crate::diag;
use crate::ir::{Ir, Row};
use crate::syntax::{Body, ComparisonAttr, JudgeAttr};

pub(crate) fn check(ir: &Ir<'_>, cx: &Ctxt) {
    cx.set_place(0);
    for JudgeAttr { judge, .. } in &ir.item.attrs.judges {
        if matches!(ir.item.body, Body::Enum(_)) {
            cx.push(diag::judge_in(judge, &ir.name(), "is an enum"));
        } else if ir.item.attrs.bucket.is_some() {
            cx.push(diag::judge_in(judge, &ir.name(), "is a bucket"));
        }
    }
    for comparison in &ir.item.attrs.comparisons {
        if matches!(ir.item.body, Body::Enum(_)) {
            cx.push(diag::compare_in(comparison, &ir.name(), "is an enum"));
        } else if ir.item.attrs.bucket.is_some() {
            cx.push(diag::compare_in(comparison, &ir.name(), "is a bucket"));
        } else {
            check_fields(ir, comparison, cx);
        }
    }
}

fn check_fields(ir: &Ir<'_>, comparison: &ComparisonAttr, cx: &Ctxt) {
    if comparison.fields().next().is_none() {
        cx.push(diag::compare_constants(comparison, &ir.name()));
    }
    for name in comparison.fields() {
        let Some(row) = ir.field(name) else {
            let stored = ir.fields().filter(|row| row.is_addressable());
            let names: Vec<String> = stored.map(Row::rust).collect();
            cx.push(diag::compare_unknown_field(name, &ir.name(), &names));
            continue;
        };
        if !row.is_stored() || row.is_flattened() {
            cx.push(diag::compare_not_stored(name, row.owner()));
        } else if let Some(refused) = refused_place(ir, row, name) {
            cx.push(refused);
        }
    }
}
