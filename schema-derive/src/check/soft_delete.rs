//! Rules on `soft_delete` and `#[deleted]`, as far as the struct shows them.

use proc_macro2::TokenStream;
use quote::ToTokens;

use crate::ctxt::Ctxt;
use crate::diag;
use crate::names::unraw;
use crate::syntax::{Body, IndexAttr, Item, Kind};

pub(crate) fn check(item: &Item, cx: &Ctxt) {
    if item.kind == Kind::Embed {
        return;
    }
    cx.set_place(0);
    let owner = unraw(&item.ident);
    let fields = item.body.fields();
    let deleted = fields.iter().find(|field| field.attrs.deleted.is_some());
    let Some(site) = &item.attrs.soft_delete else {
        if let Some((field, site)) =
            deleted.and_then(|field| Some((field, field.attrs.deleted.as_ref()?)))
        {
            cx.set_place(field.place);
            cx.push(diag::deleted_without_model(site, &field.owner));
        }
        return;
    };
    if let Some(other) = conflicting_attribute(item) {
        cx.push(diag::soft_delete_with(site, &owner, other));
        return;
    }
    if deleted.is_none() {
        cx.push(diag::soft_delete_without_field(site, &owner));
        return;
    }
    for index in &item.attrs.indexes {
        unique_sparse(index, &owner, cx);
    }
    for field in &fields {
        cx.set_place(field.place);
        for index in &field.attrs.index {
            unique_sparse(index, &field.owner, cx);
        }
    }
}

/// A kind of model that has no soft delete.
fn conflicting_attribute(item: &Item) -> Option<&'static str> {
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

/// The server has no index that is partial and sparse.
fn unique_sparse(index: &IndexAttr, owner: &str, cx: &Ctxt) {
    if let (Some(_), Some(sparse)) = (&index.unique, &index.sparse) {
        let sparse: TokenStream = sparse.to_token_stream();
        cx.push(diag::soft_delete_sparse(&sparse, owner));
    }
}
