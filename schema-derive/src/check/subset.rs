//! Rules on `new = NewIssue`, `view = IssueView` and `patch = IssuePatch`.

use proc_macro2::Ident;

use crate::ctxt::Ctxt;
use crate::diag;
use crate::ir::{Ir, Row};
use crate::names::unraw;
use crate::syntax::{Body, SubsetAttr, SubsetKind};

pub(crate) fn check(ir: &Ir<'_>, cx: &Ctxt) {
    cx.set_place(0);
    for attr in &ir.item.attrs.subsets {
        if attr.name == ir.item.ident {
            cx.push(diag::subset_is_the_model(attr, &ir.name()));
        } else if !ir.has_free_name(attr) {
            cx.push(diag::subset_name_taken(attr, &ir.name()));
        } else if has_fields(ir, attr, cx) {
            check_fields(ir, attr, cx);
        }
    }
    check_defaults(ir, cx);
}

/// Reports each `#[default(..)]` that no new document can use.
fn check_defaults(ir: &Ir<'_>, cx: &Ctxt) {
    let mut subsets = ir.item.attrs.subsets.iter();
    let new = subsets.find(|attr| attr.kind == SubsetKind::New);
    let can_have_new = ir.is_model() && matches!(ir.item.body, Body::Struct(_));
    if new.is_some() && !can_have_new {
        return;
    }
    for row in ir.fields() {
        let Some(default) = row.default() else {
            continue;
        };
        cx.set_place(row.place());
        let Some(new) = new else {
            cx.push(diag::default_without_new(
                default,
                row.owner(),
                &ir.name(),
                can_have_new,
            ));
            continue;
        };
        if let Some(reason) = ir.no_part(row, SubsetKind::New) {
            cx.push(diag::default_no_part(default, row.owner(), reason));
        } else if !new.deserialize && ir.subset(new).any(|given| given.is(row)) {
            cx.push(diag::default_always_given(
                default,
                new,
                row.owner(),
                &row.rust(),
            ));
        }
    }
    cx.set_place(0);
}

/// True if the struct can be made from the model; reports a model from which it cannot.
fn has_fields(ir: &Ir<'_>, attr: &SubsetAttr, cx: &Ctxt) -> bool {
    let owner = ir.name();
    let (problem, help) = if attr.kind == SubsetKind::New && ir.item.attrs.bucket.is_some() {
        ("is a bucket", "remove it: a push makes the buckets")
    } else if matches!(ir.item.body, Body::Enum(_)) {
        ("is an enum", "remove it: each variant has its own fields")
    } else if !ir.item.generics.params.is_empty() {
        ("has parameters", "remove it: the struct has none")
    } else {
        return true;
    };
    cx.push(diag::subset_of(attr, &owner, problem, help));
    false
}

fn check_fields(ir: &Ir<'_>, attr: &SubsetAttr, cx: &Ctxt) {
    let owner = ir.name();
    if let (Some(only), false) = (&attr.only, attr.skip.is_empty()) {
        cx.push(diag::subset_skip_and_only(attr, only, &owner));
        return;
    }
    let before = cx.report_count();
    let listed = attr.only.iter().flatten().map(|listed| &listed.field);
    let nested = attr.nested.iter().map(|nested| &nested.field);
    for word in attr.skip.iter().chain(listed).chain(nested) {
        match ir.field(word) {
            None => {
                let all = ir.fields();
                let possible = all.filter(|row| ir.no_part(row, attr.kind).is_none());
                let names: Vec<String> = possible.map(Row::rust).collect();
                cx.push(diag::subset_unknown_field(word, attr, &owner, &names));
            }
            Some(row) => {
                if let Some(reason) = ir.no_part(row, attr.kind) {
                    cx.push(diag::subset_no_part(word, attr, row.owner(), reason));
                }
            }
        }
    }
    let rows: Vec<&Row<'_>> = ir.subset(attr).collect();
    if cx.report_count() > before {
        return;
    }
    for nested in &attr.nested {
        let is_one = |row: &&&Row<'_>| row.rust() == unraw(&nested.field);
        if rows.iter().find(is_one).is_none() {
            cx.push(diag::subset_left_out(&nested.field, attr, &owner));
        }
    }
    if rows.is_empty() && attr.kind != SubsetKind::New {
        cx.push(diag::subset_empty(attr, &owner));
    }
    let flattened = rows.iter().find(|row| row.is_flattened());
    if let Some(row) = flattened.filter(|_| attr.deserialize) {
        cx.push(diag::subset_flattened(attr, row.owner(), &row.rust()));
    }
    let called_id = rows.iter().find(|row| {
        row.stored() == "id"
            && rows
                .iter()
                .any(|row| row.is_stored_as_id() && attr.json_name(row) == "id")
    });
    let called_id = called_id.filter(|row| attr.member(row) == &row.field.ident);
    if let Some(row) = called_id.filter(|_| attr.kind == SubsetKind::View || attr.deserialize) {
        cx.push(diag::subset_two_ids(attr, row.owner(), &row.rust()));
        return;
    }
    if let Some(word) = given_twice(attr, &rows) {
        cx.push(diag::subset_same_name(attr, word, &owner));
    }
}

/// A name that the attribute gives and that another field of the struct has, in Rust or in JSON.
fn given_twice<'r>(attr: &'r SubsetAttr, rows: &[&'r Row<'_>]) -> Option<&'r Ident> {
    let listed = rows
        .iter()
        .map(|row| (attr.member(row), attr.json_name(row)));
    let extras = attr
        .with
        .iter()
        .map(|extra| (&extra.name, unraw(&extra.name)));
    let all: Vec<(&Ident, String)> = listed.chain(extras).collect();
    let chosen = |word: &Ident| {
        let alias = attr
            .only
            .iter()
            .flatten()
            .filter_map(|listed| listed.alias.as_ref());
        alias
            .chain(attr.with.iter().map(|extra| &extra.name))
            .any(|own| own == word)
    };
    let is_taken = |n: usize| {
        let (word, json) = &all[n];
        let mut others = all.iter().enumerate().filter(|(other, _)| *other != n);
        others.any(|(_, (other, name))| other == word || name == json)
    };
    let mut twice = (0..all.len())
        .rev()
        .filter(|n| chosen(all[*n].0) && is_taken(*n));
    twice.next().map(|n| all[n].0)
}
