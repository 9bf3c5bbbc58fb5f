//! `#[serde(deny_unknown_fields)]` beside fields of the library.

use proc_macro2::TokenStream;
use quote::quote;

use super::span::call_with_span;
use crate::ir::Ir;

/// Checks that an item which refuses unknown fields needs none of the library's fields. Its own attributes were checked before.
pub(crate) fn expand_checks(ir: &Ir<'_>) -> TokenStream {
    let Some(site) = &ir.item.serde.deny_unknown_fields else {
        return TokenStream::new();
    };
    if !ir.item.generics.params.is_empty() || !ir.described() {
        return TokenStream::new();
    }
    let (ident, name) = (&ir.item.ident, ir.name());
    let function = if ir.is_model() {
        quote!(__rt::check::unknown_in_model)
    } else {
        quote!(__rt::check::unknown_beside_copies)
    };
    let call = call_with_span(
        site,
        &function,
        quote!(<#ident as __rt::Value>::FIELDS, #name),
    );
    quote!(const _: () = #call;)
}
