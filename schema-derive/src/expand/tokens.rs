//! Tokens that several tables have.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use crate::ir::Row;

/// How the field's values are written: a module if the type is in one, and the type.
pub(crate) fn codec(row: &Row<'_>) -> (Option<TokenStream>, Ident) {
    if row.field.serde.with.is_some() {
        (Some(quote!(__field::)), row.marker.clone())
    } else {
        (None, format_ident!("__Plain"))
    }
}

/// Type parameters are stored values.
pub(crate) fn value_bounds(generics: &syn::Generics) -> syn::Generics {
    let mut generics = generics.clone();
    for param in generics.type_params_mut() {
        param.default = None;
        param.bounds.push(syn::parse_quote!(__rt::Value));
        param.bounds.push(syn::parse_quote!('static));
    }
    generics
}

/// A name that no user's field has.
pub(crate) fn private(name: &str) -> Ident {
    format_ident!("__{name}")
}
