//! Checks that the serde attributes leave the stored form as the derive describes it.

use quote::ToTokens;

use super::names;
use crate::check::allowed;
use crate::ctxt::Ctxt;
use crate::diag;
use crate::rules;
use crate::syntax::{Body, Content, Conversion, Field, FieldAttrs, Item, Kind, Variant};
use crate::types;

pub(crate) fn check_item(item: &Item, cx: &Ctxt) {
    let owner = crate::names::unraw(&item.ident);
    names::check_tag(item, cx);
    if let (Some(span), Body::Struct(_)) = (&item.serde.transparent, &item.body) {
        cx.push(diag::serde_transparent(span, &owner, item.kind));
    }
    let refused = |conversion: &&Conversion| !check_form(item, &conversion.key, &conversion.ty);
    // `into` and `from` belong together: one message for both.
    if let Some(conversion) = item.serde.conversions.iter().find(refused) {
        cx.push(diag::serde_conversion(
            conversion,
            &owner,
            item.kind,
            matches!(item.body, Body::Newtype(_)),
        ));
    }
    deny_unknown_fields(item, &owner, cx);
    if let Body::Enum(variants) = &item.body {
        tagging(item, variants, &owner, cx);
    }
}

/// True if serde's conversion over `other` still stores, and reads, the fields as declared.
fn check_form(item: &Item, key: &str, other: &syn::Type) -> bool {
    match &item.body {
        Body::Newtype(field) => tokens(&field.ty) == tokens(other),
        // Its variants are strings, and it has no fields to describe.
        Body::Enum(variants) if unit_only(variants) && item.serde.tag.is_none() => {
            tokens(other) == "String"
        }
        // Reading over another type is how old documents are let in; what is written stays.
        Body::Struct(_) | Body::Enum(_) => key != "into",
    }
}

fn tokens(ty: &syn::Type) -> String {
    ty.to_token_stream().to_string()
}

fn unit_only(variants: &[Variant]) -> bool {
    variants
        .iter()
        .all(|variant| matches!(variant.content, Content::Unit))
}

/// Refuses `deny_unknown_fields` on items with edges: the library stores fields of its own in their documents.
fn deny_unknown_fields(item: &Item, owner: &str, cx: &Ctxt) {
    let Some(span) = &item.serde.deny_unknown_fields else {
        return;
    };
    let edge = |attrs: &FieldAttrs| {
        !attrs.denorm.is_empty()
            || (item.kind == Kind::Model
                && (attrs.refs.is_some()
                    || attrs.parent.is_some()
                    || attrs.recent.is_some()
                    || attrs.count.is_some()
                    || attrs.version.is_some()))
    };
    if item.attrs.schema_version.is_some() {
        cx.push(diag::serde_deny_unknown_fields(
            span,
            owner,
            "schema_version",
        ));
    } else if item.attrs.queue.is_some() {
        cx.push(diag::serde_deny_unknown_fields(span, owner, "queue"));
    } else if item.attrs.bucket.is_some() {
        cx.push(diag::serde_deny_unknown_fields(span, owner, "bucket"));
    } else if let Some(field) = item
        .body
        .fields()
        .into_iter()
        .find(|field| edge(&field.attrs))
    {
        cx.push(diag::serde_deny_unknown_fields(span, owner, &field.owner));
    }
}

/// Checks how a document distinguishes an enum's variants.
fn tagging(item: &Item, variants: &[Variant], owner: &str, cx: &Ctxt) {
    if unit_only(variants) {
        if let Some(span) = &item.serde.untagged {
            cx.push(diag::serde_untagged_units(span, owner));
        }
        return;
    }
    if item.polymorphic().is_some() {
        return;
    }
    if let (Some(tag), Some(span)) = (&item.serde.tag, &item.serde.content) {
        cx.push(diag::serde_content(span, owner, tag));
    } else if item.serde.tag.is_none() {
        if item.serde.conversions.is_empty() && !allowed(item, None, &rules::ENUM_UNTAGGED) {
            cx.push(diag::enum_untagged(item));
        }
    } else {
        for variant in variants {
            let Content::Newtype(field) = &variant.content else {
                continue;
            };
            let alone = types::scalar(&field.ty)
                || types::stored_as_array(&field.ty)
                || types::option_inner(&field.ty).is_some();
            if alone && field.serde.skip.is_none() && field.serde.with.is_none() {
                cx.set_place(field.place);
                cx.push(diag::serde_tagged_scalar(variant, field));
            }
        }
        cx.set_place(0);
    }
}

pub(crate) fn check_field(field: &Field, cx: &Ctxt) {
    let (serde, attrs) = (&field.serde, &field.attrs);
    if let Some(skip) = &serde.skip {
        if let Some(attr) = ruled(attrs, true) {
            cx.push(diag::serde_skip_rule(skip, attr, &field.owner));
            return;
        }
    } else if let Some(flatten) = &serde.flatten {
        if let Some(attr) = ruled(attrs, false) {
            cx.push(diag::flatten_rule(flatten, attr, &field.owner));
        }
        // A flattened value is not one field that could be missing.
        return;
    }
    let left_out = if serde.sought {
        serde.skip.as_ref()
    } else {
        serde.skip_if.as_ref().filter(|_| serde.skip.is_none())
    };
    if let Some(span) = left_out.filter(|_| !serde.default && required(field)) {
        cx.push(diag::serde_left_out(span, field));
    }
}

/// The first attribute on the field that only a stored field, or a field of its own, can have.
fn ruled(attrs: &FieldAttrs, volatile: bool) -> Option<&'static str> {
    let there = [
        ("refs", attrs.refs.is_some()),
        ("parent", attrs.parent.is_some()),
        ("denorm", !attrs.denorm.is_empty()),
        ("embed", attrs.embed.is_some()),
        ("recent", attrs.recent.is_some()),
        ("count", attrs.count.is_some()),
        ("index", !attrs.index.is_empty()),
        ("version", attrs.version.is_some()),
        ("created", attrs.created.is_some()),
        ("updated", attrs.updated.is_some()),
        ("deleted", attrs.deleted.is_some()),
        ("immutable", attrs.immutable.is_some()),
        ("volatile", volatile && attrs.volatile.is_some()),
    ];
    there
        .into_iter()
        .find(|(_, there)| *there)
        .map(|(name, _)| name)
        .or_else(|| attrs.broken.first().copied())
}

/// True if a document without the field certainly cannot be read: serde fills in `None` only for an `Option` without functions
/// of its own.
fn required(field: &Field) -> bool {
    let ty = &field.ty;
    field.serde.deserialize_with.is_some()
        || types::scalar(ty)
        || types::stored_as_array(ty)
        || types::map_value(ty).is_some()
}
