//! `IndexRow`s, and the questions about keys that only types answer.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::Lit;

use super::span::call_with_span;
use crate::check::{Asks, questions};
use crate::ir::{Ir, Row};
use crate::names::{dotted, unraw};
use crate::syntax::{CollationAttr, ConditionAttr, ConditionOp, IndexAttr, KeyKind, TextAttr};

/// The row of one index: what differs from a plain ascending one.
pub(crate) fn expand_row(index: &IndexAttr, rt: &TokenStream) -> TokenStream {
    let mut set = TokenStream::new();
    if !index.keys.is_empty() {
        let keys = index
            .keys
            .iter()
            .map(|attr| expand_key(&dotted(&attr.path), attr.kind, rt));
        set.extend(quote!(keys: &[#(#keys),*],));
    } else if index.own != KeyKind::Asc {
        let key = expand_key("", index.own, rt);
        set.extend(quote!(keys: &[#key],));
    }
    if index.unique.is_some() {
        set.extend(quote!(unique: true,));
    }
    if index.across_tenants.is_some() {
        set.extend(quote!(across_tenants: true,));
    }
    if index.sparse.is_some() {
        set.extend(quote!(sparse: true,));
    }
    if let Some(seconds) = index
        .expire_after
        .as_ref()
        .and_then(|bound| u32::try_from(bound.value).ok())
    {
        let value = some(quote!(#seconds));
        set.extend(quote!(expire_after: #value,));
    }
    if let Some(partial) = &index.partial {
        let rows = partial.conditions.iter().map(|attr| {
            let (path, op) = (dotted(&attr.path), expand_condition(attr, rt));
            quote!(#rt::ConditionRow { path: #path, op: #op })
        });
        set.extend(quote!(partial: &[#(#rows),*],));
    }
    if let Some(attr) = &index.collation {
        let value = some(expand_collation(attr, rt));
        set.extend(quote!(collation: #value,));
    }
    if let Some(name) = &index.name {
        let value = some(quote!(#name));
        set.extend(quote!(name: #value,));
    }
    if index.text.site.is_some() {
        let value = some(expand_text(&index.text, rt));
        set.extend(quote!(text: #value,));
    }
    if set.is_empty() {
        quote!(#rt::IndexRow::PLAIN)
    } else {
        quote!(#rt::IndexRow { #set ..#rt::IndexRow::PLAIN })
    }
}

fn some(value: TokenStream) -> TokenStream {
    quote!(::core::option::Option::Some(#value))
}

fn expand_option<T: quote::ToTokens>(value: Option<T>) -> TokenStream {
    match value {
        Some(value) => some(quote!(#value)),
        None => quote!(::core::option::Option::None),
    }
}

fn expand_key(path: &str, kind: KeyKind, rt: &TokenStream) -> TokenStream {
    let kind = match kind {
        KeyKind::Asc => quote!(Asc),
        KeyKind::Desc => quote!(Desc),
        KeyKind::Text => quote!(Text),
        KeyKind::Hashed => quote!(Hashed),
        KeyKind::Geo => quote!(Geo),
        KeyKind::Wildcard => quote!(Wildcard),
    };
    quote!(#rt::KeyRow { path: #path, kind: #rt::KeyKind::#kind })
}

/// The operator of a condition, without its path.
pub(crate) fn expand_condition(attr: &ConditionAttr, rt: &TokenStream) -> TokenStream {
    let (name, value) = match &attr.op {
        ConditionOp::Exists => return quote!(#rt::ConditionOp::Exists),
        ConditionOp::Type(name) => return quote!(#rt::ConditionOp::Type(#name)),
        ConditionOp::Eq(lit) => (quote!(Eq), lit),
        ConditionOp::Gt(lit) => (quote!(Gt), lit),
        ConditionOp::Gte(lit) => (quote!(Gte), lit),
        ConditionOp::Lt(lit) => (quote!(Lt), lit),
        ConditionOp::Lte(lit) => (quote!(Lte), lit),
    };
    let value = expand_literal(value, rt);
    quote!(#rt::ConditionOp::#name(#value))
}

/// A constant of a condition.
pub(crate) fn expand_literal(value: &Lit, rt: &TokenStream) -> TokenStream {
    let kind = match value {
        Lit::Int(_) => quote!(Int),
        Lit::Float(_) => quote!(Double),
        Lit::Bool(_) => quote!(Bool),
        _ => quote!(Str),
    };
    quote!(#rt::Literal::#kind(#value))
}

pub(crate) fn expand_collation(attr: &CollationAttr, rt: &TokenStream) -> TokenStream {
    let locale = &attr.locale;
    let (strength, case_level, numeric) = (
        expand_option(attr.strength),
        expand_option(attr.case_level),
        expand_option(attr.numeric_ordering),
    );
    quote!(&#rt::CollationRow { locale: #locale, strength: #strength, case_level: #case_level, numeric_ordering: #numeric })
}

fn expand_text(attr: &TextAttr, rt: &TokenStream) -> TokenStream {
    let weights = attr.weights.iter().map(|(path, weight)| {
        let path = dotted(path);
        quote!((#path, #weight))
    });
    let (default, field) = (
        expand_option(attr.default_language.as_ref()),
        expand_option(attr.language_override.as_ref()),
    );
    quote!(&#rt::TextRow { weights: &[#(#weights),*], default_language: #default, language_override: #field })
}

/// The index of the field's vectors.
pub(super) fn expand_vector(row: &Row<'_>) -> Option<TokenStream> {
    let attr = row.vector()?;
    let (dimensions, filter) = (attr.dimensions.value, attr.filter.iter().map(unraw));
    let similarity = format_ident!("{}", attr.similarity);
    Some(quote!(.vector(__rt::VectorRow {
        dimensions: #dimensions,
        similarity: __rt::Similarity::#similarity,
        filter: &[#(#filter),*],
    })))
}

/// A const for each index of vectors, which compares its dimensions with those of the field's type.
fn check_vectors(ir: &Ir<'_>, rt: &TokenStream) -> TokenStream {
    let ident = &ir.item.ident;
    let vectors = ir.stored().filter_map(|row| Some((row, row.vector()?)));
    let calls = vectors.map(|(row, attr)| {
        let rust = row.field.rust();
        let function = quote!(#rt::check::index_vector::<#ident>);
        let call = call_with_span(&attr.site, &function, quote!(#rust));
        quote!(const _: () = #call;)
    });
    calls.collect()
}

/// A const for each question, so that each of several mistakes is reported, with the caret on the user's key.
pub(crate) fn expand_checks(ir: &Ir<'_>, rt: &TokenStream) -> TokenStream {
    let item = ir.item;
    if !item.generics.params.is_empty() {
        // A const outside the type cannot name the type's parameters.
        return TokenStream::new();
    }
    let ident = &item.ident;
    let of_keys: TokenStream = questions(ir)
        .into_iter()
        .map(|question| {
            let paths = &question.paths;
            let (function, args) = match question.asks {
                Asks::Key => (quote!(index_key), quote!(#(#paths),*)),
                Asks::Parallel => (quote!(index_parallel), quote!(&[#(#paths),*])),
                Asks::Ttl => (quote!(index_ttl), quote!(#(#paths),*)),
                Asks::Hashed => (quote!(index_hashed), quote!(#(#paths),*)),
                Asks::BesideText => (quote!(index_beside_text), quote!(#(#paths),*)),
                Asks::Unique => (quote!(index_unique), quote!(#(#paths),*)),
                Asks::Geo => (quote!(index_geo), quote!(#(#paths),*)),
                Asks::Language => (quote!(index_language), quote!(#(#paths),*)),
            };
            let call = call_with_span(
                &question.tokens,
                &quote!(#rt::check::#function::<#ident>),
                args,
            );
            quote!(const _: () = #call;)
        })
        .collect();
    let of_vectors = check_vectors(ir, rt);
    quote!(#of_keys #of_vectors)
}

#[cfg(test)]
mod tests;
