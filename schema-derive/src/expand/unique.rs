//! The unique keys of a model, for `upsert(..).by(..)`.

use std::collections::HashSet;

use proc_macro2::TokenStream;
use quote::quote;

use crate::check;
use crate::ir::Ir;
use crate::syntax::Body;

pub(crate) fn expand(ir: &Ir<'_>) -> TokenStream {
    if !ir.is_model() || !matches!(ir.item.body, Body::Struct(_)) {
        return TokenStream::new();
    }
    let model = &ir.item.ident;
    let mut seen = HashSet::new();
    let keys = check::unique_keys(ir).into_iter().filter_map(|keys| {
        let stored = keys.iter().all(|row| row.is_stored());
        let markers: Vec<_> = keys.iter().map(|row| &row.marker).collect();
        let names: Vec<String> = markers.iter().map(ToString::to_string).collect();
        (stored && seen.insert(names)).then(|| match markers.as_slice() {
            [one] => quote!(impl __rt::UniqueKey<#model> for __field::#one {}),
            many => quote!(impl __rt::UniqueKey<#model> for (#(__field::#many,)*) {}),
        })
    });
    keys.collect()
}
