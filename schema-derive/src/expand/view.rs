//! `view = IssueView`: a struct that serde writes as the JSON of an answer.

use proc_macro2::{Ident, TokenStream};
use quote::{quote, quote_spanned};
use syn::Path;
use syn::spanned::Spanned;

use super::subset::{definition, describe};
use super::tokens;
use crate::ir::{Ir, Role, Row};
use crate::names::unraw;
use crate::syntax::{Extra, Number, SubsetAttr};

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
    let moves = rows.iter().map(|row| {
        let (member, ident) = (attr.member(row), &row.field.ident);
        quote!(#member: __model.#ident,)
    });
    // The span is the type, which may lack `Clone`.
    let clones = rows.iter().map(|row| {
        let (member, ident, ty) = (attr.member(row), &row.field.ident, &row.field.ty);
        quote_spanned!(ty.span()=> #member: <#ty as ::core::clone::Clone>::clone(&__model.#ident),)
    });
    let puts = rows.iter().map(|row| {
        let (module, codec) = tokens::codec(row);
        let (ident, json) = (attr.member(row), attr.json_name(row));
        let put = if is_average(row) {
            quote!(view.put_average(#json, self.#ident);)
        } else {
            quote!(view.put::<#module #codec, _>(#json, &self.#ident);)
        };
        match &row.field.serde.skip_if {
            Some(skip) => quote!(if !#skip(&self.#ident) { #put }),
            None => put,
        }
    });
    let extras = attr.with.iter().map(|extra| {
        let (ident, json) = (&extra.name, unraw(&extra.name));
        quote!(view.put::<__Plain, _>(#json, &self.#ident);)
    });
    // A function reads the whole document, before its fields are moved.
    let fill = |document: &TokenStream| -> TokenStream {
        let extras = attr.with.iter().map(|extra| {
            let ident = &extra.name;
            let function = function(extra, model);
            function.map_or_else(|| quote!(#ident,), |path| quote!(#ident: #path(#document),))
        });
        extras.collect()
    };
    let (from_owned, from_borrowed) = (fill(&quote!(&__model)), fill(&quote!(__model)));
    let given = attr.with.iter().filter(|extra| extra.function.is_none());
    let (given, types): (Vec<_>, Vec<_>) = given.map(|extra| (&extra.name, &extra.ty)).unzip();
    let (pattern, owned, borrowed) = if given.is_empty() {
        (quote!(__model), quote!(#model), quote!(&#model))
    } else {
        (
            quote!((__model, #(#given,)*)),
            quote!((#model, #(#types,)*)),
            quote!((&#model, #(#types,)*)),
        )
    };
    let [moved, cloned, written] = if ir.failed {
        [(); 3].map(|()| quote!(::core::unreachable!()))
    } else {
        [
            quote!(#name { #from_owned #(#moves)* }),
            quote!(#name { #from_borrowed #(#clones)* }),
            quote! {
                let mut view = __rt::View::new();
                #(#puts)*
                #(#extras)*
                view.end(serializer)
            },
        ]
    };
    let impls = quote! {
        #[allow(unused_variables)]
        #[automatically_derived]
        impl ::core::convert::From<#owned> for #name {
            fn from(#pattern: #owned) -> Self { #moved }
        }
        #[allow(unused_variables)]
        #[automatically_derived]
        impl ::core::convert::From<#borrowed> for #name {
            fn from(#pattern: #borrowed) -> Self { #cloned }
        }
        #[allow(unused_variables)]
        #[automatically_derived]
        impl __rt::serde::Serialize for #name {
            fn serialize<__S: __rt::serde::Serializer>(&self, serializer: __S) -> ::core::result::Result<__S::Ok, __S::Error> { #written }
        }
    };
    let schema = describe(ir, attr, rows.iter().copied(), |row| {
        match row.field.serde.skip_if {
            Some(_) => "take",
            None if is_average(row) => "put_average",
            None => "put",
        }
    });
    (definition, quote!(#impls #schema))
}

/// An answer has the quotient of an average.
fn is_average(row: &Row<'_>) -> bool {
    matches!(&row.role, Role::Count(number) if number.number == Number::Average)
}

/// The function that makes the value of a document; `Self` is the model.
fn function(extra: &Extra, model: &Ident) -> Option<Path> {
    let mut path = extra.function.clone()?;
    let first = path.segments.first_mut();
    if let Some(first) = first.filter(|first| first.ident == "Self") {
        first.ident = Ident::new(&model.to_string(), first.ident.span());
    }
    Some(path)
}
