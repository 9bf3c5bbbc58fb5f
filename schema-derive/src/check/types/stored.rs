//! Checks that the serde attributes leave the stored form as the derive describes it.

use quote::ToTokens;

use super::names;
use crate::check::allowed;
use crate::ctxt::Ctxt;
use crate::diag;
use crate::ir::{Ir, Role, Row};
use crate::rules;
use crate::syntax::{Attr, Body, Content, Conversion, Variant};
use crate::types;

pub(crate) fn check_item(ir: &Ir<'_>, cx: &Ctxt) {
    let (item, owner) = (ir.item, ir.name());
    names::check_tag(ir, cx);
    if let (Some(span), Body::Struct(_)) = (&item.serde.transparent, &item.body) {
        cx.push(diag::serde_transparent(span, &owner, item.kind));
    }
    let refused = |conversion: &&Conversion| !check_form(ir, &conversion.key, &conversion.ty);
    // `into` and `from` belong together: one message for both.
    if let Some(conversion) = item.serde.conversions.iter().find(refused) {
        cx.push(diag::serde_conversion(
            conversion,
            &owner,
            item.kind,
            matches!(item.body, Body::Newtype(_)),
        ));
    }
    deny_unknown_fields(ir, &owner, cx);
    if let Body::Enum(variants) = &item.body {
        tagging(ir, variants, &owner, cx);
    }
}

/// True if serde's conversion over `other` still stores, and reads, the fields as declared.
fn check_form(ir: &Ir<'_>, key: &str, other: &syn::Type) -> bool {
    match &ir.item.body {
        Body::Newtype(field) => tokens(&field.ty) == tokens(other),
        // The variants are strings, and there are no fields to describe.
        Body::Enum(variants) if unit_only(variants) && ir.item.serde.tag.is_none() => {
            tokens(other) == "String"
        }
        // A conversion for reading lets old documents in; the stored form stays the same.
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

/// Refuses `deny_unknown_fields` on items in whose documents the library stores fields of its own.
fn deny_unknown_fields(ir: &Ir<'_>, owner: &str, cx: &Ctxt) {
    let item = ir.item;
    let Some(span) = &item.serde.deny_unknown_fields else {
        return;
    };
    let edge = |row: &&Row<'_>| {
        !row.copies().is_empty() || (ir.is_model() && !matches!(row.role, Role::Own | Role::Id))
    };
    if item.attrs.schema_version.is_some() {
        cx.push(diag::serde_deny_unknown_fields(
            span,
            owner,
            "schema_version",
        ));
    } else if item.attrs.queue.is_some() {
        cx.push(diag::serde_deny_unknown_fields(span, owner, "queue"));
    } else if item.attrs.events.is_some() {
        cx.push(diag::serde_deny_unknown_fields(span, owner, "events"));
    } else if item.attrs.history.is_some() {
        cx.push(diag::serde_deny_unknown_fields(span, owner, "history"));
    } else if item.attrs.bucket.is_some() {
        cx.push(diag::serde_deny_unknown_fields(span, owner, "bucket"));
    } else if let Some(row) = ir.fields().find(edge) {
        cx.push(diag::serde_deny_unknown_fields(span, owner, row.owner()));
    }
}

/// Checks how a document distinguishes an enum's variants.
fn tagging(ir: &Ir<'_>, variants: &[Variant], owner: &str, cx: &Ctxt) {
    let item = ir.item;
    if unit_only(variants) {
        if let Some(span) = &item.serde.untagged {
            cx.push(diag::serde_untagged_units(span, owner));
        }
        return;
    }
    if ir.polymorphic().is_some() {
        return;
    }
    if let (Some(tag), Some(span)) = (&item.serde.tag, &item.serde.content) {
        cx.push(diag::serde_content(span, owner, tag));
    } else if item.serde.tag.is_none() {
        if item.serde.conversions.is_empty() && !allowed(ir, None, &rules::ENUM_UNTAGGED) {
            cx.push(diag::enum_untagged(item));
        }
    } else {
        for variant in variants {
            let Some(row) = ir.content(variant) else {
                continue;
            };
            let ty = &row.field.ty;
            let alone = types::scalar(ty)
                || types::stored_as_array(ty)
                || types::option_inner(ty).is_some();
            if alone && row.is_stored() && !row.has_functions() {
                cx.set_place(row.place());
                cx.push(diag::serde_tagged_scalar(variant, row.field));
            }
        }
        cx.set_place(0);
    }
}

/// Attributes that only a stored field can have; `#[volatile]` as well, but on a flattened field it speaks of what is inside.
const OF_STORED: &[Attr] = &[
    Attr::Refs,
    Attr::Parent,
    Attr::Denorm,
    Attr::Embed,
    Attr::Recent,
    Attr::Count,
    Attr::Sum,
    Attr::Avg,
    Attr::Min,
    Attr::Max,
    Attr::Index,
    Attr::Version,
    Attr::Created,
    Attr::Updated,
    Attr::Deleted,
    Attr::Immutable,
    Attr::Check,
    Attr::Ancestors,
];

pub(crate) fn check_field(row: &Row<'_>, cx: &Ctxt) {
    let serde = &row.field.serde;
    if let Some(skip) = &serde.skip {
        let volatile = || row.first_of(&[Attr::Volatile]);
        let ruled = row.first_of(OF_STORED).or_else(volatile);
        if let Some(attr) = ruled.or(row.broken()) {
            cx.push(diag::serde_skip_rule(skip, attr, row.owner()));
            return;
        }
    } else if let Some(flatten) = &serde.flatten {
        if let Some(attr) = row.first_of(OF_STORED).or(row.broken()) {
            cx.push(diag::flatten_rule(flatten, attr, row.owner()));
        }
        // A flattened value is not one field that could be missing.
        return;
    }
    let left_out = if serde.sought {
        serde.skip.as_ref()
    } else {
        serde.skip_if.as_ref().filter(|_| serde.skip.is_none())
    };
    if let Some(span) = left_out.filter(|_| !serde.default && required(row)) {
        cx.push(diag::serde_left_out(span, row.field));
    }
}

/// True if a document without the field certainly cannot be read: serde fills in `None` only for an `Option` without functions
/// of its own.
fn required(row: &Row<'_>) -> bool {
    let ty = &row.field.ty;
    row.field.serde.deserialize_with.is_some()
        || types::scalar(ty)
        || types::stored_as_array(ty)
        || types::map_value(ty).is_some()
}
