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
    let keys = check::unique_keys(ir.item).into_iter().filter_map(|keys| {
        let rows = keys
            .iter()
            .map(|field| ir.rows.iter().find(|row| row.field.ident == field.ident));
        let markers = rows.map(|row| row.map(|row| &row.marker));
        let markers = markers.collect::<Option<Vec<_>>>()?;
        let names: Vec<String> = markers.iter().map(ToString::to_string).collect();
        seen.insert(names).then(|| match markers.as_slice() {
            [one] => quote!(impl __rt::UniqueKey<#model> for __field::#one {}),
            many => quote!(impl __rt::UniqueKey<#model> for (#(__field::#many,)*) {}),
        })
    });
    keys.collect()
}
