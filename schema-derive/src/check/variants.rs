//! Rules on a model that is an enum, as far as it shows them.

use crate::ctxt::Ctxt;
use crate::diag;
use crate::names::unraw;
use crate::syntax::{Body, Content, Item, Kind, Variant};

pub(crate) fn check(item: &Item, cx: &Ctxt) {
    cx.set_place(0);
    let owner = unraw(&item.ident);
    aliases(item, cx, &owner);
    let variants = match &item.body {
        Body::Enum(variants) if item.kind == Kind::Model => variants,
        _ => {
            if let Some(field) = item.attrs.common.first() {
                cx.push(diag::common_without_variants(field, &owner));
            }
            return;
        }
    };
    let other = |variant: &Variant| matches!(variant.content, Content::Unit) && variant.serde.other;
    if variants.iter().all(other) && !cx.has_failed_here() {
        cx.push(diag::no_variants(&item.ident, &owner));
    }
    if let Some(index) = item.attrs.indexes.first() {
        cx.push(diag::variants_and(&index.site, "index", &owner));
    }
    if let Some(field) = item
        .attrs
        .queue
        .as_ref()
        .filter(|_| item.attrs.collection.is_some())
    {
        let word = field.priority.as_ref().or(field.order.as_ref());
        cx.push(diag::variants_and(
            word.unwrap_or(&item.ident),
            "queue",
            &owner,
        ));
    }
    if let Some(bucket) = &item.attrs.bucket {
        cx.push(diag::bucket_enum(&bucket.site, &owner));
    }
    for variant in variants {
        match &variant.content {
            Content::Newtype(field) => {
                cx.set_place(field.place);
                let attrs = &field.attrs;
                let ours = attrs.embed.is_some()
                    || attrs.refs.is_some()
                    || attrs.parent.is_some()
                    || !attrs.denorm.is_empty()
                    || attrs.recent.is_some()
                    || attrs.count.is_some()
                    || !attrs.index.is_empty()
                    || attrs.volatile.is_some()
                    || attrs.version.is_some()
                    || attrs.created.is_some()
                    || attrs.updated.is_some()
                    || attrs.deleted.is_some()
                    || attrs.immutable.is_some();
                if ours && !cx.has_failed_here() {
                    cx.push(diag::variant_attribute(
                        &field.ty,
                        &owner,
                        &unraw(&variant.ident),
                    ));
                }
                cx.set_place(0);
            }
            _ if other(variant) => {}
            content => cx.push(diag::variant_content(&variant.ident, content, &owner)),
        }
    }
}

/// A tag that a filter of the library names is stored under one name.
fn aliases(item: &Item, cx: &Ctxt, owner: &str) {
    let Body::Enum(variants) = &item.body else {
        return;
    };
    if item.kind != Kind::Model && item.polymorphic().is_none() {
        return;
    }
    for variant in variants {
        if let Some(alias) = variant.serde.aliases.first() {
            let name = unraw(&variant.ident);
            cx.push(diag::variant_alias(
                alias,
                owner,
                &name,
                &variant.serde.name,
            ));
        }
    }
}
