//! The rows of `#[check(..)]`.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;

use crate::check::default_finite;
use crate::ir::{Ir, Row};
use crate::syntax::{End, Part, ValueCheck, ValueRule};
use crate::types;

/// `.checks(&[Check::new(CheckRule::Len { min: 3, max: 80 })])`
pub(super) fn expand(ir: &Ir<'_>, row: &Row<'_>) -> Option<TokenStream> {
    let written = row.check().into_iter().flat_map(|check| &check.checks);
    let written = written.map(|one| expand_check(row, one));
    let default = default_finite(ir, row).map(|part| {
        let part = expand_part(part);
        let scope = (!ir.is_model()).then(|| quote!(.in_strict()));
        quote!(__rt::Check::new(__rt::CheckRule::Finite) #part #scope)
    });
    let all: Vec<TokenStream> = written.chain(default).collect();
    (!all.is_empty()).then(|| quote!(.checks(&[#(#all),*])))
}

fn expand_check(row: &Row<'_>, one: &ValueCheck) -> TokenStream {
    let (rule, part) = (expand_rule(row, one), expand_part(one.part));
    let scope = one.on_write.then(|| quote!(.on_write()));
    quote!(__rt::Check::new(__rt::CheckRule::#rule) #part #scope)
}

fn expand_part(part: Part) -> Option<TokenStream> {
    match part {
        Part::Whole => None,
        Part::Each => Some(quote!(.of(__rt::Part::Each))),
        Part::Keys => Some(quote!(.of(__rt::Part::Keys))),
    }
}

/// The type of the values that a rule is about, as a function takes them.
fn judged_type<'t>(row: &'t Row<'_>, part: Part) -> &'t syn::Type {
    let ty = types::option_inner(&row.field.ty).unwrap_or(&row.field.ty);
    if part == Part::Whole {
        return ty;
    }
    let inner = types::array_element(ty).or_else(|| types::map_value(ty).map(|(_, value)| value));
    let inner = inner.unwrap_or(ty);
    types::option_inner(inner).unwrap_or(inner)
}

fn expand_rule(row: &Row<'_>, one: &ValueCheck) -> TokenStream {
    match &one.rule {
        ValueRule::Len { min, max } => quote!(Len { min: #min, max: #max }),
        ValueRule::Range {
            min,
            max,
            exclusive,
        } => {
            let is_single = types::plain_ident(judged_type(row, one.part));
            let is_single = is_single.is_some_and(|name| name == "f32");
            let (min, max) = (expand_end(*min, is_single), expand_end(*max, is_single));
            quote!(Range { min: #min, max: #max, exclusive: #exclusive })
        }
        ValueRule::NotEmpty => quote!(NotEmpty),
        ValueRule::Finite => quote!(Finite),
        ValueRule::Email => quote!(Email),
        ValueRule::Url => quote!(Url),
        ValueRule::OneOf(values) => quote!(OneOf(&[#(#values),*])),
        ValueRule::OneOfInt(values) => quote!(OneOfInt(&[#(#values),*])),
        ValueRule::Pattern(pattern) => quote!(Pattern(#pattern)),
        ValueRule::With(function) => {
            let (ty, name) = (judged_type(row, one.part), path_text(function));
            // The span is the function: a wrong type of its argument is a mistake there.
            let call = quote_spanned!(function.span()=> |value| #function(value));
            quote!(With(__rt::Judge { name: #name, refusal: |value| __rt::judge_value::<#ty>(value, #call) }))
        }
    }
}

/// A path as it is written.
pub(super) fn path_text(path: &syn::Path) -> String {
    let text = quote!(#path).to_string();
    text.replace(' ', "")
}

/// The end of a range; of a field of type `f32` the value that the field holds when the program gives it this number.
#[allow(clippy::cast_possible_truncation)]
fn expand_end(end: Option<End>, is_single: bool) -> TokenStream {
    match end {
        Some(End::Float(n)) if is_single => expand_end(Some(End::Float((n as f32).into())), false),
        Some(End::Int(n)) => quote!(::core::option::Option::Some(__rt::Limit::Int(#n))),
        Some(End::Float(n)) => quote!(::core::option::Option::Some(__rt::Limit::Float(#n))),
        None => quote!(::core::option::Option::None),
    }
}
