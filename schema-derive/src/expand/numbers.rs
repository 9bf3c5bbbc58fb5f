//! Numbers and extremes of children: their rows, and the checks of the children's fields that they depend on.

use proc_macro2::{Ident, Literal, TokenStream};
use quote::{ToTokens, quote};

use super::copies::asked_field;
use super::index;
use super::relation;
use super::span::call_with_span;
use crate::diag;
use crate::ir::{Ir, Row};
use crate::names;
use crate::syntax::{CountAttr, CountMax, Number, stored};

/// `Count`, `CountUpTo { .. }`, `Sum { .. }`, `Average { .. }`, or `Extreme { .. }`
pub(super) fn number(row: &Row<'_>, attr: &CountAttr) -> TokenStream {
    if attr.added.is_none() && attr.only.is_empty() {
        let max = match &attr.max {
            None => return quote!(Count),
            Some(CountMax::Number(max)) => {
                let max = Literal::i64_suffixed(i64::try_from(max.value).unwrap_or(i64::MAX));
                quote!(Number(#max))
            }
            Some(CountMax::Field(field)) => {
                let field = names::unraw(field);
                quote!(Field(#field))
            }
        };
        return quote!(CountUpTo { max: __rt::Most::#max });
    }
    let only = expand_only(&attr.only);
    let times = match attr.times.as_deref().map(names::dotted) {
        Some(times) => quote!(times: ::core::option::Option::Some(#times)),
        None => quote!(times: ::core::option::Option::None),
    };
    match (attr.number, attr.added.as_deref().map(names::dotted)) {
        (Number::Average, Some(field)) => {
            let stored = row.stored();
            let (sum, count) = (format!("{stored}.sum"), format!("{stored}.n"));
            quote!(Average { field: #field, #times, #only, sum: #sum, count: #count })
        }
        (number @ (Number::Least | Number::Greatest), Some(field)) => {
            let entries = format!("{}.{}", stored::EXTREMES, row.stored());
            let least = number == Number::Least;
            quote!(Extreme { field: #field, least: #least, #only, entries: #entries })
        }
        (_, Some(field)) => {
            quote!(Sum { field: ::core::option::Option::Some(#field), #times, #only })
        }
        (_, None) => quote!(Sum { field: ::core::option::Option::None, #times, #only }),
    }
}

/// `only: &[..]`
pub(super) fn expand_only(only: &[(Vec<Ident>, syn::Lit)]) -> TokenStream {
    let only = only.iter().map(|(field, value)| {
        let (field, value) = (
            names::dotted(field),
            index::expand_literal(value, &quote!(__rt)),
        );
        quote!((#field, #value))
    });
    quote!(only: &[#(#only),*])
}

/// The checks of a number.
pub(super) fn expand_checks(
    ir: &Ir<'_>,
    row: &Row<'_>,
    attr: &CountAttr,
    bits: u32,
) -> TokenStream {
    let child = &attr.child;
    let mut out = count(row, attr, bits);
    out.extend(attr.max.as_ref().map(|max| bounded(ir, row, max)));
    let factors = attr.added.iter().chain(&attr.times);
    out.extend(factors.map(|field| added(row, attr, field)));
    out.extend(attr.at.iter().map(|field| dated(row, child, field)));
    out.extend(compared(row, child, &attr.only));
    out
}

/// Checks that the children have the field that is added up or has the extreme, and that an extreme has its type.
fn added(row: &Row<'_>, attr: &CountAttr, path: &[Ident]) -> TokenStream {
    let child = &attr.child;
    let name = names::dotted(path);
    let option = format!("field = {name}");
    match attr.number {
        Number::Sum | Number::Average => {
            return summed(row, child, path, &option, &quote!(Added));
        }
        Number::Count | Number::Least | Number::Greatest => {}
    }
    let held = summed(row, child, path, &option, &quote!(Ordered));
    let (ty, owner) = (&row.field.ty, &row.field.owner);
    let (child_name, verb, written) = (
        names::path_name(child),
        attr.number.verb(),
        diag::type_text(ty),
    );
    let (holder, slot) = asked_field(child, path);
    let of = quote!(<#holder as __rt::HasField<#slot>>::Type);
    let option = quote!(::core::option::Option);
    let call = call_with_span(
        &ty.to_token_stream(),
        &quote!(__rt::check::extreme_type::<#holder, #slot>),
        // Skip types that no document can hold: VALUE_TYPE already reports them.
        quote!(
            __rt::ProbeSame::<#ty, #option<#of>>::IS_SAME
                || __rt::ProbeSame::<#ty, #of>::IS_SAME && __rt::Probe::<#of>::IS_OPTION
                || !__rt::Probe::<#ty>::IS_VALUE,
            #owner, #written, #child_name, #name, #verb
        ),
    );
    quote!(#held const _: () = #call;)
}

/// Checks that the children have the fields of the conditions, each of the kind of the constant that it is compared with.
pub(super) fn compared(
    row: &Row<'_>,
    child: &syn::Path,
    only: &[(Vec<Ident>, syn::Lit)],
) -> TokenStream {
    let checks = only.iter().map(|(path, value)| {
        let kind = match value {
            syn::Lit::Bool(_) => quote!(Bool),
            syn::Lit::Str(_) => quote!(String),
            _ => quote!(Int),
        };
        let option = format!("only({} = ..)", names::dotted(path));
        let usage = quote!(Compared(__rt::Kind::#kind));
        summed(row, child, path, &option, &usage)
    });
    checks.collect()
}

/// Checks that the children have the date of a period, which the program writes.
fn dated(row: &Row<'_>, child: &syn::Path, field: &Ident) -> TokenStream {
    let name = names::unraw(field);
    let stamped = quote!(__rt::check::is_stamped(__rt::Probe::<#child>::FIELDS, #name));
    let (option, path) = (format!("at = {name}"), std::slice::from_ref(field));
    summed(row, child, path, &option, &quote!(Dated(#stamped)))
}

/// Checks that the children have the field at this path, and that it can be used in this way. Every step but the last is one embedded
/// document.
fn summed(
    row: &Row<'_>,
    child: &syn::Path,
    path: &[Ident],
    option: &str,
    usage: &TokenStream,
) -> TokenStream {
    let (owner, child_name) = (&row.field.owner, names::path_name(child));
    let steps = path.iter().enumerate().map(|(n, step)| {
        let (of, slot) = asked_field(child, &path[..=n]);
        let name = names::unraw(step);
        let (holder, is_known, fields) = match n {
            0 => (quote!(#child_name), quote!(IS_MODEL), quote!(COPYABLE)),
            _ => (
                quote!(__rt::check::type_name(__rt::Probe::<#of>::SHAPE)),
                quote!(IS_NESTED),
                quote!(NESTED),
            ),
        };
        let usage = match n + 1 == path.len() {
            true => usage.clone(),
            false => {
                let inner = relation::inner(&quote!(__rt), &of, &slot);
                quote!(Leading(__rt::check::Step {
                    fields: __rt::Probe::<#of>::FIELDS,
                    step: #name,
                    nested: __rt::Probe::<#inner>::IS_NESTED,
                    absent: false,
                }))
            }
        };
        let call = call_with_span(
            &step.to_token_stream(),
            &quote!(__rt::check::summed::<#of, #slot>),
            quote!(
                __rt::check::Summed { owner: #owner, holder: #holder, field: #name, option: #option, usage: __rt::check::FieldUsage::#usage },
                __rt::Probe::<#of>::#is_known, __rt::Probe::<#of>::#fields
            ),
        );
        quote!(const _: () = #call;)
    });
    steps.collect()
}

/// Checks the type of the field that has the bound.
fn bounded(ir: &Ir<'_>, row: &Row<'_>, max: &CountMax) -> TokenStream {
    let owner = &row.field.owner;
    let typed = match max {
        CountMax::Number(_) => None,
        CountMax::Field(field) => ir.field(field).map(|max| {
            let (ty, name) = (&max.field.ty, names::unraw(field));
            let same = |ty: &syn::Type, other: TokenStream| quote!(__rt::ProbeSame::<#ty, #other>::IS_SAME);
            let option = quote!(::core::option::Option);
            let integers = [quote!(::core::primitive::i64), quote!(::core::primitive::i32)];
            let fits = integers.iter().flat_map(|of| [same(ty, of.clone()), same(ty, quote!(#option<#of>))]);
            let call = call_with_span(
                &field.to_token_stream(),
                &quote!(__rt::check::count_max_type),
                quote!(#(#fits)||* || !__rt::Probe::<#ty>::IS_VALUE, #owner, #name),
            );
            quote!(const _: () = #call;)
        }),
    };
    quote!(#typed)
}

/// Checks that the number has its type, and that the children do not expire.
fn count(row: &Row<'_>, attr: &CountAttr, bits: u32) -> TokenStream {
    let (child, verb) = (&attr.child, attr.number.verb());
    let (ty, owner, child_name) = (&row.field.ty, &row.field.owner, names::path_name(child));
    let written = diag::type_text(ty);
    let typed = match (attr.number, attr.added.as_deref()) {
        (Number::Count, _) => {
            let call = call_with_span(
                &ty.to_token_stream(),
                &quote!(__rt::check::count_type),
                // Skip types that no document can hold: VALUE_TYPE already reports them.
                quote!(
                    __rt::ProbeSame::<#ty, ::core::primitive::i64>::IS_SAME || !__rt::Probe::<#ty>::IS_VALUE,
                    #owner, #written, #child_name, #verb
                ),
            );
            quote!(const _: () = #call;)
        }
        (Number::Sum, Some(path)) => {
            let types = [quote!(::core::primitive::i64), quote!(__rt::Decimal128)];
            sum_type(row, attr, path, types)
        }
        (Number::Average, Some(path)) => {
            let types = [quote!(__rt::Average), quote!(__rt::DecimalAverage)];
            sum_type(row, attr, path, types)
        }
        // The field of the children says which type it is.
        _ => TokenStream::new(),
    };
    let expires = call_with_span(
        &child.to_token_stream(),
        &quote!(__rt::check::count_ttl),
        quote!(#owner, #child_name, #verb, __rt::Probe::<#child>::EXPIRES, __rt::Probe::<#child>::FIELDS, #bits),
    );
    quote!(#typed const _: () = #expires;)
}

/// Checks that a sum or an average has the first of these types where the fields of the children are integers, and the second where one of
/// them is a decimal.
fn sum_type(
    row: &Row<'_>,
    attr: &CountAttr,
    path: &[Ident],
    [integer, decimal]: [TokenStream; 2],
) -> TokenStream {
    let (child, ty, owner) = (&attr.child, &row.field.ty, &row.field.owner);
    let verb = attr.number.verb();
    let (child_name, written) = (names::path_name(child), diag::type_text(ty));
    let (one, slot) = asked_field(child, path);
    let (other, times) = asked_field(child, attr.times.as_deref().unwrap_or(path));
    let call = call_with_span(
        &ty.to_token_stream(),
        &quote!(__rt::check::sum_type::<#one, #slot, #other, #times>),
        // Skip types that no document can hold: VALUE_TYPE already reports them.
        quote!(
            __rt::ProbeSame::<#ty, #integer>::IS_SAME || !__rt::Probe::<#ty>::IS_VALUE,
            __rt::ProbeSame::<#ty, #decimal>::IS_SAME || !__rt::Probe::<#ty>::IS_VALUE,
            #owner, #written, #child_name, #verb
        ),
    );
    quote!(const _: () = #call;)
}
