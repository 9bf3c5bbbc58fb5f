//! Rules on `history(..)`, as far as the struct shows them.

use proc_macro2::Ident;

use crate::ctxt::Ctxt;
use crate::diag;
use crate::ir::{Ir, Row};
use crate::names::unraw;
use crate::syntax::{Body, HistoryAttr};

/// The largest number of entries that `keep_last` keeps of a document.
const MOST_ENTRIES: u64 = 1_000_000;

pub(crate) fn check(ir: &Ir<'_>, cx: &Ctxt) {
    let Some(history) = &ir.item.attrs.history else {
        return;
    };
    cx.set_place(0);
    if let Some((kind, help)) = conflicting_kind(ir) {
        cx.push(diag::history_with(&history.site, &ir.name(), kind, help));
        return;
    }
    check_names(ir, "skip", &history.skip, cx);
    check_names(
        ir,
        "fields",
        history.fields.as_deref().unwrap_or_default(),
        cx,
    );
    if let Some(last) = &history.keep_last
        && !(1..=MOST_ENTRIES).contains(&last.value)
    {
        cx.push(diag::history_keeps_nothing(&last.tokens, &ir.name()));
    }
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

/// Reports names in an option that are no fields, or are there twice.
fn check_names(ir: &Ir<'_>, option: &str, words: &[Ident], cx: &Ctxt) {
    let owner = ir.name();
    for (n, word) in words.iter().enumerate() {
        let mut before = words[..n].iter();
        if before.any(|other| unraw(other) == unraw(word)) {
            cx.push(diag::history_field_twice(word, &owner, option));
        } else if ir.addressable(word).is_none() {
            let problem = match ir.field(word) {
                Some(_) => "stores it as no field of its own",
                None => "has no such field",
            };
            let fields = ir.fields().filter(|row| row.is_addressable());
            let names: Vec<String> = fields.map(Row::rust).collect();
            cx.push(diag::history_field(word, &owner, option, problem, &names));
        }
    }
}

/// True if the history keeps the changes of a field, unless the library derives it.
pub(crate) fn records(history: &HistoryAttr, row: &Row<'_>) -> bool {
    let names_field = |words: &[Ident]| words.iter().any(|word| unraw(word) == row.rust());
    match &history.fields {
        Some(fields) => names_field(fields),
        None => !names_field(&history.skip),
    }
}

/// Reports the personal fields that the history would record.
fn check_personal(ir: &Ir<'_>, history: &HistoryAttr, cx: &Ctxt) {
    let recorded: Vec<_> = ir
        .fields()
        .filter(|row| records(history, row))
        .filter_map(|row| Some((row, row.personal()?)))
        .collect();
    let missing = recorded.iter().map(|(row, _)| &row.field.ident);
    let (option, names): (_, Vec<&Ident>) = match &history.fields {
        Some(fields) => {
            let is_personal =
                |word: &&Ident| recorded.iter().any(|(row, _)| unraw(word) == row.rust());
            (
                "fields",
                fields.iter().filter(|word| !is_personal(word)).collect(),
            )
        }
        None => ("skip", history.skip.iter().chain(missing).collect()),
    };
    let names: Vec<String> = names.into_iter().map(ToString::to_string).collect();
    for (row, personal) in recorded {
        cx.set_place(row.place());
        if !cx.has_failed_here() {
            let left = (option, names.as_slice());
            cx.push(diag::history_personal(&personal.site, row.owner(), left));
        }
    }
}
