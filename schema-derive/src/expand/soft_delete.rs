//! `soft_delete`: the trait that says so, and the checks of what other models do with such documents.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::Path;

use super::span::at;
use crate::ir::{Ir, Role, Row};
use crate::names;
use crate::syntax::{Check, OnDelete};

pub(crate) fn item(ir: &Ir<'_>) -> TokenStream {
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
pub(crate) fn checks(ir: &Ir<'_>, row: &Row<'_>) -> TokenStream {
    let of_target = row
        .target()
        .and_then(|target| Some((target, of_reference(ir, row)?)));
    let of_child = row.child().map(|child| (child, of_children(row)));
    match of_target.or(of_child) {
        Some((other, used)) => check(&row.field.owner, other, &used),
        None => TokenStream::new(),
    }
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
    let call = at(
        &other.to_token_stream(),
        &quote!(__rt::check::soft_delete),
        quote!(__rt::Probe::<#other>::SOFT_DELETE, #owner, #name, (#does, #how, #help)),
    );
    quote!(const _: () = #call;)
}

/// The part of a reference that would have to follow when its target is marked as deleted.
fn of_reference(ir: &Ir<'_>, row: &Row<'_>) -> Option<Use> {
    if row.entry().is_some() || ir.has_copies(row) {
        return Some(Use {
            does: "holds copies of",
            how: "",
            help: "remove the copies, and load the document: `load_..`",
        });
    }
    if row.inverse().is_some() {
        return Some(Use {
            does: "is one side of a two-way reference to",
            how: "",
            help: "remove `inverse`: the loader `by_..` finds what refers to a document",
        });
    }
    if row.key().is_some() {
        return Some(Use {
            does: "refers to",
            how: " by a field that a deleted and a live document may share",
            help: "remove `key`, and hold the `_id`",
        });
    }
    let (rule, check) = match &row.role {
        Role::Refs { attr, .. } => (attr.on_delete, &attr.check),
        Role::Parent { attr, .. } => (attr.on_delete, &attr.check),
        _ => return None,
    };
    if matches!(check, Check::Checked) {
        return Some(Use {
            does: "has a checked reference to",
            how: "",
            help: "remove `checked`: writes check the reference anyway, and find a document that is marked as deleted",
        });
    }
    let how = match rule {
        OnDelete::Deny | OnDelete::Keep => return None,
        OnDelete::Pull => " with `on_delete = pull`",
        OnDelete::Unset => " with `on_delete = unset`",
        OnDelete::Cascade => " with `on_delete = cascade`",
    };
    Some(Use {
        does: "refers to",
        how,
        help: "`on_delete = deny` or `on_delete = keep`",
    })
}

fn of_children(row: &Row<'_>) -> Use {
    match row.role {
        Role::Count(_) => Use {
            does: "counts",
            how: "",
            help: "remove it, and count when it is read: `.count()` of the loader `by_..` or `by_.._many`",
        },
        _ => Use {
            does: "lists",
            how: "",
            help: "remove it, and load the last ones: `.limit(..)` of the loader `by_..` or `by_.._many`",
        },
    }
}

/// Checks that the `#[deleted]` field may be absent.
pub(crate) fn field(row: &Row<'_>) -> TokenStream {
    if row.field.attrs.deleted.is_none() {
        return TokenStream::new();
    }
    let (ty, owner) = (&row.field.ty, &row.field.owner);
    let written = crate::diag::ty(ty);
    let call = at(
        &ty.to_token_stream(),
        &quote!(__rt::check::deleted),
        quote!(__rt::Probe::<#ty>::IS_OPTION || !__rt::Probe::<#ty>::IS_VALUE, __rt::Probe::<#ty>::STORED, #owner, #written),
    );
    quote!(const _: () = #call;)
}
