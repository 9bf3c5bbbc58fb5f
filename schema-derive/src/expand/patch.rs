//! `patch = IssuePatch`: a struct of the fields that a request may change.

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;

use super::subset::{by_ids, definition, describe, deserialize, read_change};
use super::tokens::{self, with_driver};
use crate::ir::{Ir, Row};
use crate::syntax::SubsetAttr;
use crate::types;

/// The struct, and its impls.
pub(crate) fn expand(ir: &Ir<'_>, attr: &SubsetAttr) -> (TokenStream, TokenStream) {
    let rows: Vec<&Row<'_>> = ir.subset(attr).collect();
    let types: Vec<TokenStream> = rows.iter().map(|row| changed_type(ir, attr, row)).collect();
    let fields: Vec<_> = rows
        .iter()
        .zip(&types)
        .map(|(row, ty)| (*row, quote!(::core::option::Option<#ty>)))
        .collect();
    let name = ir.name();
    let doc = if ir.is_model() {
        format!(
            "Changes of one `{name}`: `None` leaves a field as it is, and `update(..).patch(..)` sets the others."
        )
    } else {
        format!("Changes inside one `{name}`: `None` leaves a field as it is.")
    };
    let definition = definition(ir, attr, &doc, &fields);
    let name = &attr.name;
    let members: Vec<_> = rows.iter().map(|row| attr.member(row)).collect();
    let values = rows.iter().zip(&types).map(|(row, ty)| {
        let ident = attr.member(row);
        let take = read_change(ir, attr, row, ty);
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
    let patch = with_driver(|| expand_changes(ir, attr, &rows));
    let schema = describe(ir, attr, rows.iter().copied(), |_| "take");
    (definition, quote!(#read #default #patch #schema))
}

/// The type of the new value of a field, which the struct has in an `Option`.
fn changed_type(ir: &Ir<'_>, attr: &SubsetAttr, row: &Row<'_>) -> TokenStream {
    let ty = &row.field.ty;
    match attr.nested(row) {
        Some(patch) if types::option_inner(ty).is_some() => quote!(::core::option::Option<#patch>),
        Some(patch) => quote!(#patch),
        None => by_ids(ir, row).map_or_else(|| quote!(#ty), |ids| ids.ty),
    }
}

/// The impl that adds the fields to an update.
fn expand_changes(ir: &Ir<'_>, attr: &SubsetAttr, rows: &[&Row<'_>]) -> TokenStream {
    let (item, name) = (&ir.item.ident, &attr.name);
    let is_model = ir.is_model();
    let sets = rows.iter().map(|row| {
        let (member, ident, stored) = (attr.member(row), &row.field.ident, row.stored());
        let place = if is_model {
            quote!(|model| model.#ident)
        } else {
            quote!(#stored)
        };
        if let Some(patch) = attr.nested(row) {
            let ty = &row.field.ty;
            let (method, ty) = match types::option_inner(ty) {
                Some(inner) => (quote!(set_optional_part), inner),
                None => (quote!(set_part), ty),
            };
            let of = match is_model {
                true => quote!(::<_, #ty, _, _>),
                false => quote!(::<#ty>),
            };
            // The span is the patch's name: it may be the patch of another document.
            let span = patch.span().resolved_at(Span::call_site());
            let value = quote_spanned!(span=> self.#member);
            return quote!(changes.#method #of(#place, #value););
        }
        let value = match by_ids(ir, row) {
            Some(ids) => {
                let make = ids.make;
                quote!(self.#member.map(#make))
            }
            None => quote!(self.#member),
        };
        if is_model {
            return quote!(changes.set_some(#place, #value););
        }
        let (module, codec) = tokens::codec(row);
        quote!(changes.set_some::<#module #codec, _>(#place, #value);)
    });
    let body = if ir.failed {
        quote!(::core::unreachable!())
    } else {
        quote!(use __rt::BlankFallback as _; #(#sets)*)
    };
    let (of, changes) = if is_model {
        (quote!(Patch), quote!(PatchChanges<'_, #item>))
    } else {
        (quote!(EmbedPatch), quote!(PartChanges<'_>))
    };
    quote! {
        #[allow(unused_variables, unused_imports)]
        #[automatically_derived]
        impl __rt::#of<#item> for #name {
            fn change(self, changes: &mut __rt::#changes) { #body }
        }
    }
}
