//! `history(..)`: its row, and the trait of models that keep a history.

use proc_macro2::{Ident, TokenStream};
use quote::quote;

use crate::ir::{Ir, Row};
use crate::syntax::Bound;

/// The row of the model's table.
pub(crate) fn expand_row(ir: &Ir<'_>) -> TokenStream {
    let Some(history) = &ir.item.attrs.history else {
        return quote!(::core::option::Option::None);
    };
    let collection = ir.item.attrs.collection.as_ref();
    let log = format!("_dn.history.{}", collection.map_or("", |(_, name)| name));
    let stored = |words: &[Ident]| -> Vec<_> {
        let rows = words.iter().filter_map(|word| ir.addressable(word));
        rows.map(Row::stored).collect()
    };
    let skip = stored(&history.skip);
    let fields = stored(history.fields.as_deref().unwrap_or_default());
    let bound = |bound: &Option<Bound>| match bound.as_ref().map(|bound| bound.value) {
        Some(value) => quote!(::core::option::Option::Some(#value)),
        None => quote!(::core::option::Option::None),
    };
    let (keep, keep_last) = (bound(&history.keep), bound(&history.keep_last));
    let whole = history.whole;
    quote! {
        ::core::option::Option::Some(__rt::HistoryRow {
            log: #log, skip: &[#(#skip),*], fields: &[#(#fields),*], keep: #keep, keep_last: #keep_last, whole: #whole
        })
    }
}

pub(crate) fn expand(ir: &Ir<'_>) -> TokenStream {
    if ir.item.attrs.history.is_none() || !ir.is_model() || !ir.item.generics.params.is_empty() {
        return TokenStream::new();
    }
    let model = &ir.item.ident;
    quote!(impl __rt::KeepsHistory for #model {})
}
