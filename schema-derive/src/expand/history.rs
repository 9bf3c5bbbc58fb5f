//! `history(..)`: its row, and the trait of models that keep a history.

use proc_macro2::TokenStream;
use quote::quote;

use crate::ir::{Ir, Row};

/// The row of the model's table.
pub(crate) fn expand_row(ir: &Ir<'_>) -> TokenStream {
    let Some(history) = &ir.item.attrs.history else {
        return quote!(::core::option::Option::None);
    };
    let collection = ir.item.attrs.collection.as_ref();
    let log = format!("_dn.history.{}", collection.map_or("", |(_, name)| name));
    let skipped = history.skip.iter().filter_map(|word| ir.addressable(word));
    let skip = skipped.map(Row::stored);
    let keep = match history.keep.as_ref().map(|keep| keep.value) {
        Some(seconds) => quote!(::core::option::Option::Some(#seconds)),
        None => quote!(::core::option::Option::None),
    };
    quote! {
        ::core::option::Option::Some(__rt::HistoryRow { log: #log, skip: &[#(#skip),*], keep: #keep })
    }
}

pub(crate) fn expand(ir: &Ir<'_>) -> TokenStream {
    if ir.item.attrs.history.is_none() || !ir.is_model() || !ir.item.generics.params.is_empty() {
        return TokenStream::new();
    }
    let model = &ir.item.ident;
    quote!(impl __rt::KeepsHistory for #model {})
}
