//! `#[personal]`: the rows, the values that stand in place of erased ones, and the checks across models.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned;

use super::copies::asked_field;
use super::span::call_with_span;
use super::tokens::{self, with_driver};
use crate::check::{person, place_error, records};
use crate::ir::{Fixed, Ir, Role, Row};
use crate::names;
use crate::syntax::{Body, DenormAttr, Level, PersonalAttr};
use crate::types;

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
    match (&attr.keep_for, &attr.reason) {
        (Some(keep_for), Some(reason)) => out.extend(quote!(.kept(#keep_for, #reason))),
        _ => out.extend(expand_value(row, attr)),
    }
    Some(quote!(.personal(&#out)))
}

/// `.value(..)`, with the function that gives what stands in place of the erased value. Its expression sees no name of the library's but `__id`.
fn expand_value(row: &Row<'_>, attr: &PersonalAttr) -> Option<TokenStream> {
    let ty = &row.field.ty;
    let value = match &attr.erased {
        // Without functions of its own, it is null.
        None if types::option_inner(ty).is_none() || !row.has_functions() => return None,
        None => quote!(::core::option::Option::None),
        Some(value) => match syn::parse2::<syn::LitStr>(value.clone()) {
            Ok(text) => {
                quote_spanned!(text.span()=> <#ty as ::core::convert::From<__rt::String>>::from(__rt::erased_text(#text, __id)))
            }
            Err(_) => quote_spanned!(value.span()=> (#value)),
        },
    };
    let (module, codec) = tokens::codec(row);
    Some(quote! {
        .value(|__id: &::core::primitive::str| {
            #[allow(unused_parens)]
            let __value: #ty = #value;
            __rt::erased_value::<#module #codec, #ty>(&__value)
        })
    })
}

/// The trait of models that are persons, and the entry in the registry of models that may hold personal fields.
pub(crate) fn expand(ir: &Ir<'_>) -> TokenStream {
    if ir.failed || !ir.is_model() {
        return TokenStream::new();
    }
    let model = &ir.item.ident;
    let is_enum = matches!(ir.item.body, Body::Enum(_));
    let mut rows = ir.fields();
    let is_own = |row: &Row<'_>| row.personal().is_some_and(|attr| attr.of.is_none());
    let is = match is_enum {
        // The fields are those of the variants' types.
        true => Some(quote!({ __rt::are_persons(<#model as __rt::Value>::FIELDS) })),
        false => rows.any(is_own).then(|| quote!(true)),
    };
    let person = is.map(|is| {
        quote! {
            #[automatically_derived]
            impl __rt::MayBePerson for #model { type Is = __rt::Is<#is>; }
        }
    });
    let may_hold = is_enum
        || ir
            .stored()
            .any(|row| row.personal().is_some() || may_embed(row));
    let register = with_driver(|| {
        may_hold.then(|| quote!(__rt::inventory::submit! { __rt::PersonalModel::of::<#model>() }))
    });
    quote! { #person #register }
}

/// True if the type of the field may be an embedded document, or hold one.
fn may_embed(row: &Row<'_>) -> bool {
    // A value that the library sets from other documents, and one that holds ids only, has nothing personal of its own.
    let follows = row.child().is_some() || matches!(row.role, Role::Copy { .. });
    let is_ids = row.is_reference() && row.member().is_none();
    let ty = &row.field.ty;
    let is_scalar = types::well_known(ty) || types::scalar_id(types::leaf(ty));
    !row.opaque() && !follows && !is_ids && !is_scalar
}

/// Checks what is personal inside of a field of a model, which is the `n`th of its table.
pub(crate) fn expand_inside(ir: &Ir<'_>, row: &Row<'_>, n: usize) -> Option<TokenStream> {
    if !ir.is_model() || !may_embed(row) {
        return None;
    }
    let (model, owner) = (&ir.item.ident, row.owner());
    let fixed = fixed(ir, row).unwrap_or_default();
    let history = ir.item.attrs.history.as_ref();
    let recorded = history.is_some_and(|history| records(history, row));
    let holder = expand_holder(ir, &fixed, recorded);
    let call = call_with_span(
        &row.field.ty.to_token_stream(),
        &quote!(__rt::check::personal_inside),
        quote!(&<#model as __rt::Value>::FIELDS[#n], #owner, #holder),
    );
    Some(quote!(const _: () = #call;))
}

/// Checks that the erased values of what is personal inside of embedded documents are distinct, where a unique index of the model has them.
pub(crate) fn expand_unique(ir: &Ir<'_>) -> TokenStream {
    let (model, name) = (&ir.item.ident, ir.name());
    if !ir.is_model() || !matches!(ir.item.body, Body::Struct(_)) {
        return TokenStream::new();
    }
    let indexes = ir.item.attrs.indexes.iter();
    let keys = indexes
        .filter(|attr| attr.unique.is_some())
        .flat_map(|attr| attr.keys.iter().map(move |key| (attr, key)));
    let nested = keys.filter(|(_, key)| key.path.len() > 1);
    let checks = nested.map(|(attr, key)| {
        let leaves_out = attr.partial.is_some() || attr.sparse.is_some() && attr.keys.len() < 2;
        let owner = format!("{name}::{}", names::dotted(&key.path));
        let steps = key.path.iter().map(names::unraw);
        let call = call_with_span(
            &key.tokens,
            &quote!(__rt::check::unique_inside),
            quote!(<#model as __rt::Value>::FIELDS, &[#(#steps),*], #owner, #leaves_out),
        );
        quote!(const _: () = #call;)
    });
    checks.collect()
}

/// Checks what is personal in a variant of a model that is an enum.
pub(super) fn expand_variant(ir: &Ir<'_>, ty: &syn::Type, owner: &str) -> TokenStream {
    let holder = expand_holder(ir, "", false);
    let call = call_with_span(
        &ty.to_token_stream(),
        &quote!(__rt::check::personal_in_variant),
        quote!(<#ty as __rt::Value>::FIELDS, #owner, #holder),
    );
    quote!(const _: () = #call;)
}

fn expand_holder(ir: &Ir<'_>, fixed: &str, recorded: bool) -> TokenStream {
    let (model, name) = (&ir.item.ident, ir.name());
    quote!(__rt::check::Holder { model: #name, fields: <#model as __rt::Value>::FIELDS, fixed: #fixed, recorded: #recorded })
}

/// The reason why no erase changes what is inside of a field.
fn fixed(ir: &Ir<'_>, row: &Row<'_>) -> Option<String> {
    if let Some(why) = place_error(ir) {
        return Some(why.to_owned());
    }
    let what = if row.is_stored_as_id() {
        "_id"
    } else if row.overflow().is_some() {
        "overflow"
    } else {
        row.fixed().map(Fixed::name)?
    };
    Some(format!("the field is `{what}`"))
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
            let (field, model) = (names::dotted(path), &attr.from);
            let steps = path.iter().map(names::unraw);
            let call = call_with_span(
                &quote!(#(#path)*),
                &quote!(__rt::check::follows_person::<#from, #slot>),
                quote!(#owner, (#source, __rt::Probe::<#model>::FIELDS), (#field, &[#(#steps),*]), #way),
            );
            quote!(const _: () = #call;)
        }));
    }
    out
}
