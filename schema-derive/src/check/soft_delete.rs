//! Rules on `soft_delete` and `#[deleted]`, as far as the struct shows them.

use proc_macro2::TokenStream;
use quote::ToTokens;

use crate::ctxt::Ctxt;
use crate::diag;
use crate::ir::{Fixed, Ir};
use crate::syntax::{Body, IndexAttr};

pub(crate) fn check(ir: &Ir<'_>, cx: &Ctxt) {
    if !ir.is_model() {
        return;
    }
    cx.set_place(0);
    let owner = ir.name();
    let mut fields = ir.fields();
    let deleted = fields.find_map(|row| Some((row, row.fixed_site(Fixed::Deleted)?)));
    let Some(site) = &ir.item.attrs.soft_delete else {
        if let Some((row, site)) = deleted {
            cx.set_place(row.place());
            cx.push(diag::deleted_without_model(site, row.owner()));
        }
        return;
    };
    if let Some(other) = conflicting_attribute(ir) {
        cx.push(diag::soft_delete_with(site, &owner, other));
        return;
    }
    if deleted.is_none() {
        cx.push(diag::soft_delete_without_field(site, &owner));
        return;
    }
    for index in &ir.item.attrs.indexes {
        unique_sparse(index, &owner, cx);
    }
    for row in ir.fields() {
        cx.set_place(row.place());
        for index in row.indexes() {
            unique_sparse(index, row.owner(), cx);
        }
    }
}

/// The property of a model that excludes a soft delete.
fn conflicting_attribute(ir: &Ir<'_>) -> Option<&'static str> {
    let item = ir.item;
    if matches!(item.body, Body::Enum(_)) {
        return Some("is an enum");
    }
    let there = [
        ("is a bucket", item.attrs.bucket.is_some()),
        ("is a queue", item.attrs.queue.is_some()),
        ("shares a collection", item.attrs.shares.is_some()),
    ];
    let found = there.into_iter().find(|(_, there)| *there);
    found.map(|(name, _)| name)
}

/// Reports a unique sparse index: the server has no index that is partial and sparse.
fn unique_sparse(index: &IndexAttr, owner: &str, cx: &Ctxt) {
    if let (Some(_), Some(sparse)) = (&index.unique, &index.sparse) {
        let sparse: TokenStream = sparse.to_token_stream();
        cx.push(diag::soft_delete_sparse(&sparse, owner));
    }
}
