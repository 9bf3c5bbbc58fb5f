//! `tenant = ..`: what the calls of the model take, and the checks of what other models do with its documents.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::Path;

use super::span::call_with_span;
use crate::ir::{Ir, Row};
use crate::names;

/// The type behind the reference that calls of the model take, and the builder that they make of the database `db`.
pub(crate) fn reach(
    ir: &Ir<'_>,
    db: &TokenStream,
    make: &TokenStream,
) -> (TokenStream, TokenStream) {
    let krate = ir.krate();
    match ir.tenant().map(|row| &row.field.ty) {
        Some(tenant) => (
            quote!(#krate::Tenant<#tenant>),
            quote!(__rt::Reach::reach(#db, |#db| #make)),
        ),
        None => (quote!(#krate::Database), make.clone()),
    }
}

/// Checks that the other model of the field has no wall.
pub(crate) fn expand_checks(row: &Row<'_>) -> TokenStream {
    if let Some(target) = row.target() {
        return check(&row.field.owner, target, "refers to");
    }
    let child = row.child();
    child.map_or_else(TokenStream::new, |child| {
        check(&row.field.owner, child, "is about")
    })
}

/// Checks that the model whose collection is shared has no wall.
pub(crate) fn shared(ir: &Ir<'_>) -> TokenStream {
    let shares = ir.item.attrs.shares.as_ref();
    shares.map_or_else(TokenStream::new, |shares| {
        check(&ir.name(), shares, "shares the collection of")
    })
}

fn check(owner: &str, other: &Path, does: &str) -> TokenStream {
    let name = names::path_name(other);
    let call = call_with_span(
        &other.to_token_stream(),
        &quote!(__rt::check::tenant),
        quote!(__rt::Probe::<#other>::WALLED, #owner, #does, #name),
    );
    quote!(const _: () = #call;)
}
