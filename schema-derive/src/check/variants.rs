//! Rules on enums: models of several kinds, and embedded enums, as far as they show them.

mod inside;

use crate::ctxt::Ctxt;
use crate::diag;
use crate::ir::Ir;
use crate::names::unraw;
use crate::syntax::{Attr, Body, Content, Variant};

/// Attributes that belong on the fields of a variant, not on the variant.
const OF_FIELDS: &[Attr] = &[
    Attr::Embed,
    Attr::Refs,
    Attr::Parent,
    Attr::Denorm,
    Attr::Recent,
    Attr::Count,
    Attr::Sum,
    Attr::Avg,
    Attr::Min,
    Attr::Max,
    Attr::Index,
    Attr::Volatile,
    Attr::Version,
    Attr::Created,
    Attr::Updated,
    Attr::Deleted,
    Attr::Immutable,
    Attr::Check,
];

pub(crate) fn check(ir: &Ir<'_>, cx: &Ctxt) {
    cx.set_place(0);
    let (item, owner) = (ir.item, ir.name());
    aliases(ir, cx, &owner);
    inside::check(ir, cx);
    cx.set_place(0);
    let variants = match &item.body {
        Body::Enum(variants) if ir.is_model() => variants,
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
        match (ir.content(variant), &variant.content) {
            (Some(row), _) => {
                cx.set_place(row.place());
                if row.first_of(OF_FIELDS).is_some() && !cx.has_failed_here() {
                    cx.push(diag::variant_attribute(
                        &row.field.ty,
                        &owner,
                        &unraw(&variant.ident),
                    ));
                }
                cx.set_place(0);
            }
            (None, _) if other(variant) => {}
            (None, content) => cx.push(diag::variant_content(&variant.ident, content, &owner)),
        }
    }
}

/// Reports aliases of a tag: a filter of the library names it, so it is stored under one name.
fn aliases(ir: &Ir<'_>, cx: &Ctxt, owner: &str) {
    let Body::Enum(variants) = &ir.item.body else {
        return;
    };
    if !ir.is_model() && ir.polymorphic().is_none() {
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
