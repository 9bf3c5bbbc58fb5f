//! `#[personal]`: the rows, the values that stand in place of erased ones, and the checks across models.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::spanned::Spanned;

use super::copies::asked_field;
use super::span::call_with_span;
use super::tokens::with_driver;
use crate::check::person;
use crate::ir::{Ir, Role, Row};
use crate::names;
use crate::syntax::{DenormAttr, Level};

/// `.personal(..)`, for the row of a field.
pub(crate) fn expand_row(row: &Row<'_>) -> Option<TokenStream> {
    let attr = row.personal()?;
    let mut out = match &attr.of {
        Some(of) => {
            let of = names::unraw(of);
            quote!(__rt::PersonalRow::of(#of))
        }
        None => quote!(__rt::PersonalRow::own()),
    };
    if let Some(erased) = &attr.erased {
        let text = erased.to_string();
        out.extend(quote!(.erased(#text)));
    }
    if let (Some(keep_for), Some(reason)) = (&attr.keep_for, &attr.reason) {
        out.extend(quote!(.kept(#keep_for, #reason)));
    }
    Some(quote!(.personal(&#out)))
}

/// The trait of models that are persons, the values that erased fields get, and the entry in the registry.
pub(crate) fn expand(ir: &Ir<'_>) -> TokenStream {
    let rows: Vec<&Row<'_>> = ir.fields().filter(|row| row.personal().is_some()).collect();
    if rows.is_empty() || ir.failed || !ir.is_model() {
        return TokenStream::new();
    }
    let model = &ir.item.ident;
    let is_person = rows.iter().any(|row| of(row).is_none());
    let person = is_person.then(|| quote! { impl __rt::Person for #model {} });
    let register = with_driver(|| expand_erased(model, &rows));
    quote! { #person #register }
}

/// The reference of a personal field, by its name.
fn of(row: &Row<'_>) -> Option<String> {
    row.personal()?.of.as_ref().map(names::unraw)
}

fn expand_erased(model: &Ident, rows: &[&Row<'_>]) -> TokenStream {
    let erased: Vec<&&Row<'_>> = rows
        .iter()
        .filter(|row| row.personal().is_some_and(|attr| attr.keep_for.is_none()))
        .collect();
    let functions = erased.iter().map(|row| expand_function(row));
    let sets = erased.iter().map(|row| {
        let (field, function) = (&row.field.ident, function_name(row));
        let reference = match of(row) {
            Some(of) => quote!(::core::option::Option::Some(#of)),
            None => quote!(::core::option::Option::None),
        };
        quote! {
            if of == #reference {
                changes.set_some(|model| model.#field, ::core::option::Option::Some(#function(id)));
            }
        }
    });
    quote! {
        #(#functions)*
        #[automatically_derived]
        impl __rt::Erasable for #model {
            #[allow(unused_variables)]
            fn erase(changes: &mut __rt::PatchChanges<'_, #model>, of: ::core::option::Option<&::core::primitive::str>, id: &::core::primitive::str) {
                #(#sets)*
            }
        }
        __rt::inventory::submit! { __rt::PersonalModel::of::<#model>() }
    }
}

fn function_name(row: &Row<'_>) -> Ident {
    format_ident!("__erased_{}", row.rust())
}

/// The function that gives the value. It stands beside the impls, because an expression must see none of the locals of one.
fn expand_function(row: &Row<'_>) -> TokenStream {
    let (name, ty) = (function_name(row), &row.field.ty);
    let erased = row.personal().and_then(|attr| attr.erased.clone());
    let value = match erased {
        None => quote!(::core::option::Option::None),
        Some(value) => match syn::parse2::<syn::LitStr>(value.clone()) {
            Ok(text) => {
                quote_spanned!(text.span()=> <#ty as ::core::convert::From<__rt::String>>::from(__rt::erased_text(#text, __id)))
            }
            Err(_) => quote_spanned!(value.span()=> (#value)),
        },
    };
    quote! {
        #[allow(non_snake_case, unused_parens, unused_variables)]
        fn #name(__id: &::core::primitive::str) -> #ty { #value }
    }
}

/// Checks that the reference of a personal field leads to a person, and that copies that do not follow have no personal source.
pub(crate) fn expand_checks(ir: &Ir<'_>, row: &Row<'_>) -> TokenStream {
    let mut out = TokenStream::new();
    let target = person(ir, row).and_then(Row::target);
    if let (Some(target), Some(attr)) = (target, row.personal()) {
        let call = call_with_span(
            &attr.of.to_token_stream(),
            &quote!(__rt::check::person::<#target>),
            TokenStream::new(),
        );
        out.extend(quote!(const _: () = #call;));
    }
    if row.personal().is_some() {
        return out;
    }
    let copies: &[DenormAttr] = match &row.role {
        Role::Copy { .. } | Role::Refs { .. } | Role::Parent { .. } => row.copies(),
        _ => &[],
    };
    for attr in copies {
        let way = match attr.level {
            _ if attr.snapshot => "is a `snapshot`",
            Level::FireAndForget => "is `fire_and_forget`",
            Level::Eventual | Level::Transactional => continue,
        };
        out.extend(attr.fields.iter().map(|path| {
            let (from, slot) = asked_field(&attr.from, &path[..1]);
            let (owner, source) = (&row.field.owner, names::path_name(&attr.from));
            let field = names::dotted(path);
            let call = call_with_span(
                &quote!(#(#path)*),
                &quote!(__rt::check::follows_person::<#from, #slot>),
                quote!(#owner, #source, #field, #way),
            );
            quote!(const _: () = #call;)
        }));
    }
    out
}
