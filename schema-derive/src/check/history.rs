//! Rules on `history(..)`, as far as the struct shows them.

use crate::ctxt::Ctxt;
use crate::diag;
use crate::ir::{Ir, Row};
use crate::names::unraw;
use crate::syntax::{Body, HistoryAttr};

pub(crate) fn check(ir: &Ir<'_>, cx: &Ctxt) {
    let Some(history) = &ir.item.attrs.history else {
        return;
    };
    cx.set_place(0);
    if let Some((kind, help)) = conflicting_kind(ir) {
        cx.push(diag::history_with(&history.site, &ir.name(), kind, help));
        return;
    }
    check_skipped(ir, history, cx);
    check_personal(ir, history, cx);
}

/// The property of a model that excludes a history, and the advice about it.
fn conflicting_kind(ir: &Ir<'_>) -> Option<(&'static str, &'static str)> {
    let attrs = &ir.item.attrs;
    if matches!(ir.item.body, Body::Enum(_)) {
        Some((
            "is an enum",
            "remove `history`: it compares the fields of one struct, and each variant has its own",
        ))
    } else if attrs.queue.is_some() {
        Some((
            "is a queue",
            "remove `history`: leases and attempts of a job are no changes of a document",
        ))
    } else if attrs.bucket.is_some() {
        Some((
            "is a bucket",
            "remove `history`: a bucket is a part of its parent",
        ))
    } else if attrs.shares.is_some() {
        Some((
            "shares a collection",
            "put `history` on the model that owns the collection: documents of another kind in it have no history",
        ))
    } else {
        None
    }
}

fn check_skipped(ir: &Ir<'_>, history: &HistoryAttr, cx: &Ctxt) {
    let owner = ir.name();
    for (n, word) in history.skip.iter().enumerate() {
        let mut before = history.skip[..n].iter();
        if before.any(|other| unraw(other) == unraw(word)) {
            cx.push(diag::history_skip_twice(word, &owner));
        } else if ir.addressable(word).is_none() {
            let problem = match ir.field(word) {
                Some(_) => "stores it as no field of its own",
                None => "has no such field",
            };
            let fields = ir.fields().filter(|row| row.is_addressable());
            let names: Vec<String> = fields.map(Row::rust).collect();
            cx.push(diag::history_skip_field(word, &owner, problem, &names));
        }
    }
}

/// Reports the personal fields that the history would record.
fn check_personal(ir: &Ir<'_>, history: &HistoryAttr, cx: &Ctxt) {
    let is_skipped = |row: &Row<'_>| history.skip.iter().any(|word| unraw(word) == row.rust());
    let recorded: Vec<_> = ir
        .fields()
        .filter(|row| !is_skipped(row))
        .filter_map(|row| Some((row, row.personal()?)))
        .collect();
    let missing = recorded.iter().map(|(row, _)| &row.field.ident);
    let names: Vec<String> = history
        .skip
        .iter()
        .chain(missing)
        .map(ToString::to_string)
        .collect();
    for (row, personal) in recorded {
        cx.set_place(row.place());
        if !cx.has_failed_here() {
            cx.push(diag::history_personal(&personal.site, row.owner(), &names));
        }
    }
}
