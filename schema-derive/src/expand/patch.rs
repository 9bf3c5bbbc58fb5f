//! `patch = IssuePatch`: a struct of the fields that a request may change.

use proc_macro2::TokenStream;
use quote::quote;

use super::subset::{by_ids, definition, deserialize, read_field};
use super::tokens::with_driver;
use crate::ir::{Ir, Row};
use crate::syntax::SubsetAttr;

/// The struct, and its impls.
pub(crate) fn expand(ir: &Ir<'_>, attr: &SubsetAttr) -> (TokenStream, TokenStream) {
    let rows: Vec<&Row<'_>> = ir.subset(attr).collect();
    let types: Vec<TokenStream> = rows
        .iter()
        .map(|row| {
            let ty = &row.field.ty;
            by_ids(ir, row).map_or_else(|| quote!(#ty), |ids| ids.ty)
        })
        .collect();
    let fields: Vec<_> = rows
        .iter()
        .zip(&types)
        .map(|(row, ty)| (*row, quote!(::core::option::Option<#ty>)))
        .collect();
    let doc = format!(
        "Changes of one `{}`: `None` leaves a field as it is, and `update(..).patch(..)` sets the others.",
        ir.name()
    );
    let definition = definition(ir, attr, &doc, &fields);
    let (model, name) = (&ir.item.ident, &attr.name);
    let members: Vec<_> = rows.iter().map(|row| attr.member(row)).collect();
    let values = rows.iter().zip(&types).map(|(row, ty)| {
        let ident = attr.member(row);
        let take = read_field(ir, attr, row, ty, "take");
        quote!(#ident: #take,)
    });
    let values = quote!(#(#values)*);
    let read = deserialize(ir, attr, rows.iter().copied(), None, &values);
    let default = attr.derives.iter().all(|path| !path.is_ident("Default"));
    let default = default.then(|| {
        quote! {
            #[automatically_derived]
            impl ::core::default::Default for #name {
                fn default() -> Self { #name { #(#members: ::core::option::Option::None,)* } }
            }
        }
    });
    let patch = with_driver(|| {
        let sets = rows.iter().map(|row| {
            let (member, ident) = (attr.member(row), &row.field.ident);
            let value = match by_ids(ir, row) {
                Some(ids) => {
                    let make = ids.make;
                    quote!(self.#member.map(#make))
                }
                None => quote!(self.#member),
            };
            quote!(changes.set_some(|model| model.#ident, #value);)
        });
        let body = if ir.failed {
            quote!(::core::unreachable!())
        } else {
            quote!(use __rt::BlankFallback as _; #(#sets)*)
        };
        quote! {
            #[allow(unused_variables, unused_imports)]
            #[automatically_derived]
            impl __rt::Patch<#model> for #name {
                fn change(self, changes: &mut __rt::PatchChanges<'_, #model>) { #body }
            }
        }
    });
    (definition, quote!(#read #default #patch))
}
