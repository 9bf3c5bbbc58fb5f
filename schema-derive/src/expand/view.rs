//! `view = IssueView`: a struct that serde writes as the JSON of an answer.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;

use super::subset::{definition, json_name};
use super::tokens;
use crate::ir::{Ir, Row};
use crate::syntax::SubsetAttr;

/// The struct, and its impls.
pub(crate) fn expand(ir: &Ir<'_>, attr: &SubsetAttr) -> (TokenStream, TokenStream) {
    let rows: Vec<&Row<'_>> = ir.subset(attr).collect();
    let fields: Vec<_> = rows
        .iter()
        .map(|row| {
            let ty = &row.field.ty;
            (*row, quote!(#ty))
        })
        .collect();
    let doc = format!(
        "One `{}` as the JSON of an answer: ids, dates and decimals are text, and the `_id` is `id`.",
        ir.name()
    );
    let definition = definition(ir, attr, &doc, &fields);
    let (model, name) = (&ir.item.ident, &attr.name);
    let members: Vec<_> = rows.iter().map(|row| &row.field.ident).collect();
    // At the type: what lacks `Clone` is it.
    let clones = rows.iter().map(|row| {
        let (ident, ty) = (&row.field.ident, &row.field.ty);
        quote_spanned!(ty.span()=> #ident: <#ty as ::core::clone::Clone>::clone(&model.#ident),)
    });
    let puts = rows.iter().map(|row| {
        let (module, codec) = tokens::codec(row);
        let (ident, json) = (&row.field.ident, json_name(row));
        let put = quote!(view.put::<#module #codec, _>(#json, &self.#ident););
        match &row.field.serde.skip_if {
            Some(skip) => quote!(if !#skip(&self.#ident) { #put }),
            None => put,
        }
    });
    let [moved, cloned, written] = if ir.failed {
        [(); 3].map(|()| quote!(::core::unreachable!()))
    } else {
        [
            quote!(#name { #(#members: model.#members,)* }),
            quote!(#name { #(#clones)* }),
            quote! {
                let mut view = __rt::View::new();
                #(#puts)*
                view.end(serializer)
            },
        ]
    };
    let impls = quote! {
        #[allow(unused_variables)]
        #[automatically_derived]
        impl ::core::convert::From<#model> for #name {
            fn from(model: #model) -> Self { #moved }
        }
        #[allow(unused_variables)]
        #[automatically_derived]
        impl ::core::convert::From<&#model> for #name {
            fn from(model: &#model) -> Self { #cloned }
        }
        #[allow(unused_variables)]
        #[automatically_derived]
        impl __rt::serde::Serialize for #name {
            fn serialize<__S: __rt::serde::Serializer>(&self, serializer: __S) -> ::core::result::Result<__S::Ok, __S::Error> { #written }
        }
    };
    (definition, impls)
}
