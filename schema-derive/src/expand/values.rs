//! The rows of `#[check(..)]`.

use proc_macro2::TokenStream;
use quote::quote;

use crate::check::default_finite;
use crate::ir::{Ir, Row};
use crate::syntax::{End, ValueRule};

/// `.checks(&[Check { rule: CheckRule::Len { min: 3, max: 80 }, each: false }])`
pub(super) fn expand(ir: &Ir<'_>, row: &Row<'_>) -> Option<TokenStream> {
    let written = row.check().into_iter().flat_map(|check| &check.checks);
    let written = written.map(|one| (&one.rule, one.each));
    let default = default_finite(ir, row).map(|each| (&ValueRule::Finite, each));
    let all: Vec<(&ValueRule, bool)> = written.chain(default).collect();
    if all.is_empty() {
        return None;
    }
    let checks = all.into_iter().map(|(rule, each)| {
        let rule = expand_rule(rule);
        quote!(__rt::Check { rule: __rt::CheckRule::#rule, each: #each })
    });
    Some(quote!(.checks(&[#(#checks),*])))
}

fn expand_rule(rule: &ValueRule) -> TokenStream {
    match rule {
        ValueRule::Len { min, max } => quote!(Len { min: #min, max: #max }),
        ValueRule::Range {
            min,
            max,
            exclusive,
        } => {
            let (min, max) = (expand_end(*min), expand_end(*max));
            quote!(Range { min: #min, max: #max, exclusive: #exclusive })
        }
        ValueRule::NotEmpty => quote!(NotEmpty),
        ValueRule::Finite => quote!(Finite),
        ValueRule::Email => quote!(Email),
        ValueRule::Url => quote!(Url),
        ValueRule::OneOf(values) => quote!(OneOf(&[#(#values),*])),
        ValueRule::OneOfInt(values) => quote!(OneOfInt(&[#(#values),*])),
        ValueRule::Pattern(pattern) => quote!(Pattern(#pattern)),
    }
}

fn expand_end(end: Option<End>) -> TokenStream {
    match end {
        Some(End::Int(n)) => quote!(::core::option::Option::Some(__rt::Limit::Int(#n))),
        Some(End::Float(n)) => quote!(::core::option::Option::Some(__rt::Limit::Float(#n))),
        None => quote!(::core::option::Option::None),
    }
}
