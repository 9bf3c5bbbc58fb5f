//! `soft_delete`: its trait, and the checks of the uses that other models make of such documents.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::Path;

use super::span::call_with_span;
use crate::ir::{Fixed, Ir, Role, Row};
use crate::names;
use crate::syntax::{Check, OnDelete};

pub(crate) fn expand(ir: &Ir<'_>) -> TokenStream {
    if ir.item.attrs.soft_delete.is_none() || !ir.is_model() || !ir.item.generics.params.is_empty()
    {
        return TokenStream::new();
    }
    let model = &ir.item.ident;
    quote! { impl __rt::SoftDeleted for #model {} }
}

/// The use that a field or a model makes of another model: the words before and after its name, and the way out.
struct Use {
    does: &'static str,
    how: &'static str,
    help: &'static str,
}

/// Checks that the other model of the field removes its documents, where marking them could not be followed.
pub(crate) fn expand_checks(row: &Row<'_>) -> TokenStream {
    let Some(target) = row.target() else {
        return TokenStream::new();
    };
    let used = reference_use(row);
    let mut out = used.map_or_else(TokenStream::new, |used| {
        check(&row.field.owner, target, &used)
    });
    out.extend(purged(row, target));
    out
}

/// Checks that a reference that refuses a purge alone leads to a model whose documents are purged.
fn purged(row: &Row<'_>, target: &Path) -> Option<TokenStream> {
    let on_delete = match &row.role {
        Role::Refs { attr, .. } => attr.on_delete,
        Role::Parent { attr, .. } => attr.on_delete,
        _ => return None,
    };
    if on_delete != OnDelete::DenyPurge {
        return None;
    }
    let (owner, name) = (&row.field.owner, names::path_name(target));
    let call = call_with_span(
        &target.to_token_stream(),
        &quote!(__rt::check::purged),
        quote!(__rt::Probe::<#target>::SOFT_DELETE || !__rt::Probe::<#target>::IS_MODEL, #owner, #name),
    );
    Some(quote!(const _: () = #call;))
}

/// Checks that the model whose collection is shared removes its documents.
pub(crate) fn shared(ir: &Ir<'_>) -> TokenStream {
    let Some(shares) = &ir.item.attrs.shares else {
        return TokenStream::new();
    };
    let used = Use {
        does: "shares the collection of",
        how: "",
        help: "give it a collection of its own, or a projection of the model in its place",
    };
    check(&ir.name(), shares, &used)
}

fn check(owner: &str, other: &Path, used: &Use) -> TokenStream {
    let (name, Use { does, how, help }) = (names::path_name(other), used);
    let call = call_with_span(
        &other.to_token_stream(),
        &quote!(__rt::check::soft_delete),
        quote!(__rt::Probe::<#other>::SOFT_DELETE, #owner, #name, (#does, #how, #help)),
    );
    quote!(const _: () = #call;)
}

/// The part of a reference that would have to follow when its target is marked as deleted.
fn reference_use(row: &Row<'_>) -> Option<Use> {
    if row.key().is_some() {
        return Some(Use {
            does: "refers to",
            how: " by a field that a deleted and a live document may share",
            help: "remove `key`, and hold the `_id`",
        });
    }
    let check = match &row.role {
        Role::Refs { attr, .. } => &attr.check,
        Role::Parent { attr, .. } => &attr.check,
        _ => return None,
    };
    matches!(check, Check::Checked).then_some(Use {
        does: "has a checked reference to",
        how: "",
        help: "remove `checked`: writes check the reference anyway, and find a document that is marked as deleted",
    })
}

/// Checks that the `#[deleted]` field may be absent.
pub(crate) fn check_field(row: &Row<'_>) -> TokenStream {
    if row.fixed_site(Fixed::Deleted).is_none() {
        return TokenStream::new();
    }
    let (ty, owner) = (&row.field.ty, &row.field.owner);
    let written = crate::diag::type_text(ty);
    let call = call_with_span(
        &ty.to_token_stream(),
        &quote!(__rt::check::deleted),
        quote!(__rt::Probe::<#ty>::IS_OPTION || !__rt::Probe::<#ty>::IS_VALUE, __rt::Probe::<#ty>::STORED, #owner, #written),
    );
    quote!(const _: () = #call;)
}
