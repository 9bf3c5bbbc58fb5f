//! The checks of a copy against its source: the field exists and may be copied, and the types agree.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::Path;

use super::relation;
use super::span::call_with_span;
use crate::diag;
use crate::ir::{Ir, Role, Row};
use crate::names;
use crate::syntax::{DenormAttr, Field};
use crate::types;

/// The checks of the copies that hang on a field, or of the copy that it is.
pub(super) fn expand_checks(ir: &Ir<'_>, row: &Row<'_>, bits: u32) -> TokenStream {
    let mut out = TokenStream::new();
    match &row.role {
        Role::Copy { attr, via } => {
            out.extend(copied(ir, row, &attr.from, &attr.fields[0], bits));
            out.extend(embedded(row, &attr.from, &attr.fields[0], false, bits));
            out.extend(named(&attr.from, &attr.fields[0]));
            out.extend(plain_copy(ir, row, attr, via));
        }
        Role::Refs { .. } | Role::Parent { .. } => {
            for attr in row.copies() {
                let fields = || attr.fields.iter();
                out.extend(fields().map(|path| copied(ir, row, &attr.from, path, bits)));
                let required = !attr.default;
                out.extend(fields().map(|path| embedded(row, &attr.from, path, required, bits)));
                out.extend(fields().map(|path| named(&attr.from, path)));
            }
        }
        _ => {}
    }
    out
}

/// Checks that the source has the field. The steps are chained, so that only the first missing one is reported.
pub(super) fn named(from: &Path, path: &[Ident]) -> TokenStream {
    let mut handle = match path {
        [first, _, ..] => {
            // The compiler points at the derive where the spans of an expression are mixed.
            quote_spanned!(first.span()=> <<#from as __rt::Lookup>::Fields as __rt::Handles>::VALUE)
        }
        _ => quote!(<<#from as __rt::Lookup>::Fields as __rt::Handles>::VALUE),
    };
    for (n, step) in path.iter().enumerate() {
        if n > 0 {
            handle = quote_spanned!(path[n - 1].span()=> __rt::inside(#handle));
        }
        handle.extend(quote_spanned!(step.span()=> .#step));
    }
    quote!(const _: () = { let _ = #handle; };)
}

/// The type and the slot by which the checks find the field at `path` of `from`.
pub(super) fn asked_field(from: &Path, path: &[Ident]) -> (TokenStream, TokenStream) {
    match path {
        [field] => {
            let name = names::unraw(field);
            let slot = quote!({ __rt::slot(__rt::Probe::<#from>::COPYABLE, #name) });
            (from.to_token_stream(), slot)
        }
        path => relation::source_field(&quote!(__rt), from, path),
    }
}

/// Checks that every step of the path but the last is an embedded document, of which a field can be copied. `required` says that
/// the copy cannot be absent.
fn embedded(row: &Row<'_>, from: &Path, path: &[Ident], required: bool, bits: u32) -> TokenStream {
    let rt = quote!(__rt);
    let (owner, source, field) = (
        &row.field.owner,
        names::path_name(from),
        names::dotted(path),
    );
    (1..path.len())
        .map(|n| {
            let (of, slot) = asked_field(from, &path[..n]);
            let inner = relation::inner(&rt, &of, &slot);
            let (step, name) = (names::unraw(&path[n - 1]), names::dotted(&path[..n]));
            let call = call_with_span(
                &path[n - 1].to_token_stream(),
                &quote!(__rt::check::embedded::<#of, #slot>),
                quote!(
                    __rt::check::Step {
                        fields: __rt::Probe::<#of>::FIELDS,
                        step: #step,
                        nested: __rt::Probe::<#inner>::IS_NESTED,
                        absent: #required && __rt::Probe::<<#of as __rt::HasField<#slot>>::Type>::IS_OPTION,
                    },
                    [#owner, #source, #name, #field], #bits
                ),
            );
            quote!(const _: () = #call;)
        })
        .collect()
}

/// The first step of the path that is an `Option`, as `User::profile`; empty where there is none.
fn optional_step(from: &Path, path: &[Ident]) -> TokenStream {
    let source = names::path_name(from);
    (1..path.len()).rev().fold(quote!(""), |otherwise, n| {
        let (of, slot) = asked_field(from, &path[..n]);
        let name = format!("{source}::{}", names::dotted(&path[..n]));
        quote!(if __rt::Probe::<<#of as __rt::HasField<#slot>>::Type>::IS_OPTION { #name } else { #otherwise })
    })
}

/// Checks that a copy in a field of its own has the type of its source, and is stored as its source.
fn plain_copy(ir: &Ir<'_>, row: &Row<'_>, attr: &DenormAttr, via: &Field) -> TokenStream {
    let (ty, from, field, owner) = (&row.field.ty, &attr.from, &attr.fields[0], &row.field.owner);
    let (source, name) = (names::path_name(from), names::dotted(field));
    let through = optional_step(from, field);
    let (from, slot) = asked_field(from, field);
    let with = row.has_functions();
    let stored = call_with_span(
        &quote!(#(#field)*),
        &quote!(__rt::check::same_with::<#from, #slot>),
        quote!(#owner, #source, #name, #with),
    );
    let mut out = quote!(const _: () = #stored;);
    for (what, own, place) in declared(row) {
        let call = call_with_span(
            &place,
            &quote!(__rt::check::as_long::<#from, #slot>),
            quote!(#owner, #source, #name, #what, #own),
        );
        out.extend(quote!(const _: () = #call;));
    }
    if ir.item.generics.params.is_empty() {
        let of = quote!(<#from as __rt::HasField<#slot>>::Type);
        let (reference, beside) = (&via.ty, via.rust());
        let (written, inner) = (
            diag::type_text(ty),
            types::option_inner(ty)
                .map(diag::type_text)
                .unwrap_or_default(),
        );
        let unread = row.field.serde.deserialize_with.is_some() && !row.field.serde.default;
        let typed = call_with_span(
            &ty.to_token_stream(),
            &quote!(__rt::check::copy_type::<#from, #slot>),
            quote!(
                __rt::check::CopyTypes {
                    same: __rt::ProbeSame::<#ty, #of>::IS_SAME,
                    option_of_source: __rt::ProbeSame::<#ty, ::core::option::Option<#of>>::IS_SAME,
                    source_is_option_of_it: __rt::ProbeSame::<::core::option::Option<#ty>, #of>::IS_SAME,
                    source_is_option: __rt::Probe::<#of>::IS_OPTION,
                    beside_option: __rt::Probe::<#reference>::IS_OPTION,
                    through: #through,
                    unread: #unread,
                },
                #owner, #written, #inner, #source, #name, #beside
            ),
        );
        out.extend(quote!(const _: () = #typed;));
    }
    out
}

/// The bounds that a copy declares itself, each with its value and where it is written.
fn declared(row: &Row<'_>) -> Vec<(&'static str, u64, TokenStream)> {
    let max = row.embed().and_then(|embed| embed.max.as_ref());
    let bounds = [("max_len", row.max_len()), ("max", max)];
    let bounds = bounds.into_iter();
    let declared = bounds.filter_map(|(what, bound)| Some((what, bound?)));
    declared
        .map(|(what, bound)| (what, bound.value, bound.tokens.clone()))
        .collect()
}

/// Checks that the field at `path` of `from` can be copied.
pub(super) fn copied(
    ir: &Ir<'_>,
    row: &Row<'_>,
    from: &Path,
    path: &[Ident],
    bits: u32,
) -> TokenStream {
    let (owner, source) = (&row.field.owner, names::path_name(from));
    let (model, own) = (&ir.item.ident, row.field.rust());
    // A frozen copy follows nothing, and an embedded document may stand in any model.
    let follows = matches!(&row.role, Role::Copy { attr, .. } if !attr.snapshot) && ir.is_model();
    let place = if follows {
        quote!(<#model as __rt::Lookup>::PLACE)
    } else {
        quote!("")
    };
    let name = names::dotted(path);
    let (of, slot) = asked_field(from, path);
    let call = call_with_span(
        &quote!(#(#path)*),
        &quote!(__rt::check::copied::<#of, #slot>),
        quote!(#owner, #source, #name, #place, #own, #bits),
    );
    quote!(const _: () = #call;)
}
