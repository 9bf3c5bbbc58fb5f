//! Rules on `embed(.., overflow = Extra)`, as far as the struct shows them.

use super::bucket;
use crate::ctxt::Ctxt;
use crate::diag;
use crate::ir::Ir;

pub(crate) fn check(ir: &Ir<'_>, cx: &Ctxt) {
    let mut first = None;
    for row in ir.fields() {
        let Some(extra) = row.overflow() else {
            continue;
        };
        cx.set_place(row.place());
        if !ir.may_overflow() {
            cx.push(diag::overflow_place(extra, row.owner()));
        } else if let Some(first) = first {
            cx.push(diag::overflow_twice(extra, row.owner(), first));
        } else if bucket::holds_items(ir, row) {
            cx.push(diag::overflow_of_bucket(extra, row.owner()));
        } else if !row.holds_documents() {
            cx.push(diag::overflow_array(&row.field.ty, row.owner()));
        } else if ir.overflow_flag().is_none() {
            cx.push(diag::overflow_flag(extra, row.owner()));
        }
        first.get_or_insert(row.owner());
    }
}
