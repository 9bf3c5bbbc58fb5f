//! `tenant = ..` and `history(by = required)`: the type that calls of the model take, and the checks of the uses that other models make of its documents.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::{Path, Type};

use super::span::call_with_span;
use crate::diag;
use crate::ir::{BucketParts, Ir, Role, Row};
use crate::names;
use crate::syntax::{Check, OnDelete};

/// The type behind the reference that calls of the model take, and the builder that they make of the database `db`.
pub(crate) fn reach(
    ir: &Ir<'_>,
    db: &TokenStream,
    make: &TokenStream,
) -> (TokenStream, TokenStream) {
    let krate = ir.krate();
    let database = match ir.tenant().map(|row| &row.field.ty) {
        Some(tenant) => quote!(#krate::Tenant<#tenant>),
        None if ir.requires_actor() => quote!(#krate::Database),
        None => return (quote!(#krate::Database), make.clone()),
    };
    let handle = match ir.requires_actor() {
        true => quote!(#krate::history::Acting<#database>),
        false => database,
    };
    (handle, quote!(__rt::Reach::reach(#db, |#db| #make)))
}

/// The type and the builder of a call that finds documents of another model, and the bound that it needs: only a model with a wall
/// can refer to one that may have it.
pub(crate) fn reach_target(
    ir: &Ir<'_>,
    target: &Path,
    make: &TokenStream,
) -> (TokenStream, TokenStream, Option<TokenStream>) {
    let krate = ir.krate();
    match ir.tenant() {
        Some(_) => {
            let handle = quote!(<#target as __rt::Model>::DatabaseHandle);
            let bound = quote!(, for<'__any> #handle: __rt::Reach);
            (
                handle,
                quote!(__rt::Reach::reach(db, |db| #make)),
                Some(bound),
            )
        }
        None => (quote!(#krate::Database), make.clone(), None),
    }
}

/// Checks that the other model of the field is behind no wall, or behind the same one.
pub(crate) fn expand_checks(ir: &Ir<'_>, row: &Row<'_>) -> TokenStream {
    let owner = &row.field.owner;
    if let Some(target) = row.target() {
        let mut out = check(ir, owner, target, "refers to");
        if let Some(how) = ir.tenant().and_then(|_| unchecked(row)) {
            let walled = quote!(__rt::Probe::<#target>::WALLED);
            let function = quote!(__rt::check::tenant_checked);
            let named = (target as &dyn ToTokens, &*names::path_name(target));
            out.extend(call(named, &function, &walled, owner, how));
        }
        return out;
    }
    let child = row.child();
    child.map_or_else(TokenStream::new, |child| {
        check(ir, owner, child, "is about")
    })
}

/// The words for a reference that writes do not check, or not by the `_id` of its target.
fn unchecked(row: &Row<'_>) -> Option<&'static str> {
    let (check, rule) = match &row.role {
        Role::Refs { attr, .. } => (&attr.check, attr.on_delete),
        Role::Parent { attr, .. } => (&attr.check, attr.on_delete),
        _ => return None,
    };
    if row.key().is_some() {
        return Some("by a natural key");
    }
    if matches!(check, Check::Unchecked(_)) {
        return Some("`unchecked`");
    }
    if rule == OnDelete::Keep {
        return Some("with `on_delete = keep`");
    }
    if row.is_map() {
        return Some("in a map");
    }
    row.has_functions().then_some("by functions of the program")
}

/// Checks that the parent of a bucket with a tenant has one.
pub(crate) fn bucket(ir: &Ir<'_>, parts: &BucketParts<'_>) -> Option<TokenStream> {
    let parent = parts.parent.target()?;
    numbered(ir, parent, &names::path_name(parent), "is a bucket of")
}

/// Checks that the parent of periods with a tenant has one. What other walls allow is checked where the children are named, which refer to
/// the parent.
pub(crate) fn period(ir: &Ir<'_>, parent: &Type) -> Option<TokenStream> {
    numbered(ir, parent, &diag::type_text(parent), "has the periods of")
}

/// Checks that the model has no tenant, or its parent has one too.
fn numbered(ir: &Ir<'_>, parent: &dyn ToTokens, name: &str, does: &str) -> Option<TokenStream> {
    ir.tenant()?;
    let walled = quote!(__rt::Probe::<#parent>::WALLED);
    let function = quote!(__rt::check::tenant_parent);
    Some(call((parent, name), &function, &walled, &ir.name(), does))
}

/// Checks that the model whose collection is shared has no wall.
pub(crate) fn shared(ir: &Ir<'_>) -> TokenStream {
    let shares = ir.item.attrs.shares.as_ref();
    shares.map_or_else(TokenStream::new, |shares| {
        check(ir, &ir.name(), shares, "shares the collection of")
    })
}

fn check(ir: &Ir<'_>, owner: &str, other: &Path, does: &str) -> TokenStream {
    let mut outside = quote!(__rt::Probe::<#other>::WALLED);
    if ir.tenant().is_some() {
        let model = &ir.item.ident;
        outside.extend(quote!(&& !__rt::ProbeWall::<#model, #other>::SHARED));
    }
    let name = names::path_name(other);
    let function = quote!(__rt::check::tenant);
    call((other, &name), &function, &outside, owner, does)
}

fn call(
    (other, name): (&dyn ToTokens, &str),
    function: &TokenStream,
    is_wrong: &TokenStream,
    owner: &str,
    words: &str,
) -> TokenStream {
    let args = quote!(#is_wrong, #owner, #words, #name);
    let call = call_with_span(&other.to_token_stream(), function, args);
    quote!(const _: () = #call;)
}
