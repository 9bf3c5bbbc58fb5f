//! The questions that only types can answer, as item-level consts with the caret on the user's tokens.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};

use super::span::call_with_span;
use super::{
    access, bucket, children, comparisons, copies, index, overflow, personal, queue, relation,
    soft_delete, tenant, unknown_fields, variants,
};
use crate::check::allowed;
use crate::diag;
use crate::ir::{Fixed, Ir, Role, Row};
use crate::names;
use crate::rules::{self, Rule};
use crate::syntax::OnDelete;
use crate::types;

pub(crate) fn expand(ir: &Ir<'_>) -> TokenStream {
    if let Some(kinds) = variants::model_variants(ir) {
        return variants::expand_checks(ir, &kinds);
    }
    let mut out = TokenStream::new();
    let generic = ir
        .item
        .generics
        .params
        .iter()
        .any(|param| !matches!(param, syn::GenericParam::Lifetime(_)));
    let tags = usize::from(ir.item.serde.tag.is_some());
    let mut together = Vec::new();
    for (n, row) in ir.stored().enumerate() {
        // A const outside the type cannot name the type's parameters, so a generic type is checked as it is written.
        if !generic && ir.described() {
            let (n, asked) = (n + tags, check_field(ir, row, n + tags));
            match asked {
                Some(TypeQuestion::Alone(check)) => out.extend(check),
                Some(TypeQuestion::Together(ty)) => {
                    let owner = &row.field.owner;
                    together.push(quote!((#n, #owner, #ty)));
                }
                None => {}
            }
            out.extend(personal::expand_inside(ir, row, n));
        }
        out.extend(check_reference(ir, row));
        out.extend(copies::expand_checks(ir, row, allow_large(ir, row)));
        out.extend(children::expand_checks(ir, row, allow_large(ir, row)));
        out.extend(soft_delete::expand_checks(row));
        out.extend(personal::expand_checks(ir, row));
        out.extend(soft_delete::check_field(row));
        out.extend(tenant::expand_checks(ir, row));
        out.extend(check_version(row));
        if !generic && ir.described() {
            out.extend(check_stamp(ir, row, n + tags));
        }
    }
    out.extend(unknown_fields::expand_checks(ir));
    if !generic && ir.described() {
        out.extend(variants::check_embedded(ir));
    }
    let ident = &ir.item.ident;
    let mut args = quote!(<#ident as __rt::Value>::FIELDS, &[#(#together),*]);
    let mut function = quote!(__rt::check::plain);
    if ir.is_model() {
        let name = ir.name();
        args.extend(quote!(, #name));
        function = quote!(__rt::check::document);
    }
    if ir.is_model() || !together.is_empty() {
        let call = call_with_span(&ident.to_token_stream(), &function, args);
        out.extend(quote!(const _: () = #call;));
    }
    out.extend(soft_delete::shared(ir));
    out.extend(tenant::shared(ir));
    out.extend(personal::expand_unique(ir));
    out.extend(queue::expand_checks(ir));
    out.extend(bucket::expand_checks(ir));
    out.extend(comparisons::expand_checks(ir));
    out.extend(overflow::expand_checks(ir));
    out.extend(access::expand_checks(ir));
    out.extend(index::expand_checks(ir, &quote!(__rt)));
    out
}

/// The overrides that the runtime's checks know, as bits: see `__private::check::allow`.
fn allow_large(ir: &Ir<'_>, row: &Row<'_>) -> u32 {
    if row.allows().is_empty() && ir.item.attrs.allows.is_empty() {
        return 0;
    }
    let bits: [(&'static Rule, u32); 13] = [
        (&rules::EMBED_UNBOUNDED, 1),
        (&rules::ARRAY_UNBOUNDED, 1),
        (&rules::EMBED_MAP, 1),
        (&rules::EMBED_STANDALONE, 2),
        (&rules::EMBED_NESTED_PRODUCT, 4),
        (&rules::EMBED_OPTION_VEC, 8),
        (&rules::DATE_AS_STRING, 16),
        (&rules::UUID_GENERIC, 32),
        (&rules::DENORM_HOT, 64),
        (&rules::IDX_UNIQUE_ARRAY, 128),
        (&rules::BYTES_AS_ARRAY, 256),
        (&rules::COUNT_TTL, 512),
        (&rules::DECIMAL_AS_STRING, 1024),
    ];
    bits.iter()
        .filter(|(rule, _)| allowed(ir, Some(row), rule))
        .fold(0, |all, (_, bit)| all | bit)
}

/// The form of the check of a field's type that the compiler evaluates.
enum TypeQuestion {
    /// A question for this field, with the caret on its type.
    Alone(TokenStream),
    /// A question for all fields of well-known types together: the type, as written, which breaks no rule if it is the well-known one.
    /// A question for every field would be the largest part of the cost of `cargo check`.
    Together(String),
}

fn check_field(ir: &Ir<'_>, row: &Row<'_>, n: usize) -> Option<TypeQuestion> {
    if row.opaque() {
        return None;
    }
    let (ty, owner, item) = (&row.field.ty, &row.field.owner, &ir.item.ident);
    let mut bits = allow_large(ir, row);
    if row.is_flattened() {
        // A flattened map has no name to push to; that its keys are unknown is advice.
        bits |= 1;
    }
    let id = matches!(row.role, Role::Id);
    let says_more = row.max > 0 || row.max_len().is_some() || row.check().is_some();
    if bits == 0 && !says_more && !(id && types::option_inner(ty).is_some()) && types::plain(ty) {
        return Some(TypeQuestion::Together(diag::type_text(ty)));
    }
    let leaf = types::leaf(ty);
    let written = diag::type_text(ty);
    let inside = if std::ptr::eq(leaf, ty) {
        written.clone()
    } else {
        diag::type_text(leaf)
    };
    let foreign = types::foreign(leaf);
    let place = ty.to_token_stream();
    let row_of = quote!(&<#item as __rt::Value>::FIELDS[#n]);
    let field = call_with_span(
        &place,
        &quote!(__rt::check::field),
        quote!(#row_of, #owner, #written, #inside, #foreign, #bits),
    );
    let id = id
        .then(|| call_with_span(&place, &quote!(__rt::check::id), quote!(#row_of, #owner)))
        .map(|id| quote!(const _: () = #id;));
    // A field of a model may be the only embedded document around a reference.
    let pulled = (ir.is_model() && check_embedded(row))
        .then(|| {
            call_with_span(
                &place,
                &quote!(__rt::check::pulled),
                quote!(#row_of, #owner),
            )
        })
        .map(|pulled| quote!(const _: () = #pulled;));
    Some(TypeQuestion::Alone(
        quote!(const _: () = #field; #id #pulled),
    ))
}

/// True if the type may be one embedded document: nothing else is around a reference in it.
fn check_embedded(row: &Row<'_>) -> bool {
    let ty = &row.field.ty;
    let around = types::option_inner(ty).is_some()
        || types::array_element(ty).is_some()
        || types::map_value(ty).is_some();
    let plain = row.target().is_none() && row.child().is_none() && !around;
    plain && !types::scalar_id(ty) && !types::foreign(ty)
}

/// Checks that the version is a number that the server can increment: `i32` or `i64`.
fn check_version(row: &Row<'_>) -> TokenStream {
    if !matches!(row.role, Role::Version) {
        return TokenStream::new();
    }
    let (ty, owner) = (&row.field.ty, &row.field.owner);
    let written = diag::type_text(ty);
    let call = call_with_span(
        &ty.to_token_stream(),
        &quote!(__rt::check::version),
        // Skip types that no document can hold: VALUE_TYPE already reports them.
        quote!(
            __rt::ProbeSame::<#ty, ::core::primitive::i64>::IS_SAME || __rt::ProbeSame::<#ty, ::core::primitive::i32>::IS_SAME
                || !__rt::Probe::<#ty>::IS_VALUE,
            #owner, #written
        ),
    );
    quote!(const _: () = #call;)
}

/// Checks that a field to which the server's time is written is stored as a date.
fn check_stamp(ir: &Ir<'_>, row: &Row<'_>, n: usize) -> TokenStream {
    if !row.is_stamp() || row.fixed_site(Fixed::Deleted).is_some() {
        return TokenStream::new();
    }
    let (model, ty, owner) = (&ir.item.ident, &row.field.ty, &row.field.owner);
    let written = diag::type_text(ty);
    let call = call_with_span(
        &ty.to_token_stream(),
        &quote!(__rt::check::stamp),
        quote!(&<#model as __rt::Value>::FIELDS[#n], #owner, #written),
    );
    quote!(const _: () = #call;)
}

/// Checks that the target of a reference is a model, and that the field holds the target's ids.
fn check_reference(ir: &Ir<'_>, row: &Row<'_>) -> TokenStream {
    let Some(target) = row.target() else {
        return TokenStream::new();
    };
    let model = check_target(ir, row, target);
    let parent = matches!(row.role, Role::Parent { .. });
    let form = || check_form(row, target, parent);
    let ids = if row.key().is_some() || row.map().is_some() {
        let key = row.key().map(|key| check_key(ir, row, target, key));
        let map = row.map().map(|map| check_map(ir, row, target, map));
        let form = form();
        quote!(#key #map #form)
    } else if row.entry().is_some() || !ir.item.generics.params.is_empty() {
        form()
    } else if let Some(all) = relation::members(row) {
        check_members(row, target, &all)
    } else {
        check_ids(row, target, parent)
    };
    let id_key = row
        .key()
        .is_none()
        .then(|| check_id_key(row, target, parent));
    quote!(const _: () = { #model; #id_key }; #ids)
}

/// Checks that a list of the target's ids is compared as it is.
fn check_id_key(row: &Row<'_>, target: &syn::Path, parent: bool) -> TokenStream {
    let (owner, name) = (&row.field.owner, names::path_name(target));
    call_with_span(
        &target.to_token_stream(),
        &quote!(__rt::check::id_key),
        quote!(__rt::Probe::<#target>::ID_IS_COMPARED, #parent, #owner, #name),
    )
}

/// Checks that the target is a model; a copy beside the ids names it too.
fn check_target(ir: &Ir<'_>, row: &Row<'_>, target: &syn::Path) -> TokenStream {
    let (owner, name) = (&row.field.owner, names::path_name(target));
    let parent = matches!(row.role, Role::Parent { .. });
    let foreign = types::scalar(&syn::Type::Path(syn::TypePath {
        attrs: Vec::new(),
        qself: None,
        path: target.clone(),
    }));
    let copied = row.entry().is_some() || ir.has_copies(row);
    // Skip targets without our derives: the code that looks up their fields already reports them.
    let known =
        (copied || row.key().is_some()).then(|| quote!(|| !__rt::Probe::<#target>::IS_KNOWN));
    // The target of a reference that has neither copies nor an inverse, and that a delete leaves as it is, stores no `_dn` fields.
    let flagged = copied || row.inverse().is_some() || !survives_delete(row);
    let denies = if flagged {
        quote!(__rt::Probe::<#target>::DENIES_UNKNOWN)
    } else {
        quote!(false)
    };
    let is_model = quote!((__rt::Probe::<#target>::IS_MODEL #known, #denies));
    let source = row.entry().and_then(|_| row.copies().first());
    match source {
        Some(attr) => call_with_span(
            &attr.from.to_token_stream(),
            &quote!(__rt::check::source),
            quote!(#is_model, #owner, #name),
        ),
        None => call_with_span(
            &target.to_token_stream(),
            &quote!(__rt::check::target),
            quote!(#is_model, #parent, #owner, #name, #foreign),
        ),
    }
}

/// Checks the elements of a two-way array: ids of the target, or structs of the program that hold one, as `all` describes.
fn check_members(row: &Row<'_>, target: &syn::Path, all: &TokenStream) -> TokenStream {
    let (ty, owner, name) = (&row.field.ty, &row.field.owner, names::path_name(target));
    let (element, written) = (row.member(), diag::type_text(ty));
    let members = call_with_span(
        &ty.to_token_stream(),
        &quote!(__rt::check::members),
        quote!(
            #all,
            __rt::Probe::<#element>::SHAPE.is_some() && !__rt::Probe::<#element>::IS_MODEL
        ),
    );
    let ids = call_with_span(
        &ty.to_token_stream(),
        &quote!(__rt::check::ids),
        quote!(true, ("", __rt::Probe::<#target>::ID_FORM), false, #owner, #written, #name),
    );
    // A target that is no model, and an element that no document can hold, give one error each.
    let known = quote!(__rt::Probe::<#target>::IS_MODEL && __rt::Probe::<#element>::IS_VALUE);
    let holds = quote!(__rt::ProbeIds::<#ty, #target>::HOLDS_IDS);
    quote!(const _: () = if #holds { #ids } else if #known { #members };)
}

/// Checks that the field's type is that of the target's id, or holds values of it.
fn check_ids(row: &Row<'_>, target: &syn::Path, parent: bool) -> TokenStream {
    let (ty, owner, name) = (&row.field.ty, &row.field.owner, names::path_name(target));
    let (written, function) = (diag::type_text(ty), row.form());
    // The type of an id that is written by the function of its target is compared all the same.
    let holds = if row.opaque() && function.is_empty() {
        quote!(true)
    } else {
        // A target that is no model, or of an unknown type, gives one error.
        quote!(__rt::ProbeIds::<#ty, #target>::HOLDS_IDS || !__rt::Probe::<#target>::IS_MODEL || !__rt::Probe::<#ty>::IS_VALUE)
    };
    let ids = call_with_span(
        &ty.to_token_stream(),
        &quote!(__rt::check::ids),
        quote!(#holds, (#function, __rt::Probe::<#target>::ID_FORM), #parent, #owner, #written, #name),
    );
    quote!(const _: () = #ids;)
}

/// True if the reference stays as it is when its target is deleted.
fn survives_delete(row: &Row<'_>) -> bool {
    match &row.role {
        Role::Refs { attr, .. } => attr.on_delete == OnDelete::Keep,
        Role::Parent { attr, .. } => attr.on_delete == OnDelete::Keep,
        _ => true,
    }
}

/// Checks that the reference is written as its target's id is. An entry and a key are written as their types say.
fn check_form(row: &Row<'_>, target: &syn::Path, parent: bool) -> TokenStream {
    let (function, by_type) = (row.form(), row.entry().is_some() || row.key().is_some());
    if function.is_empty() && by_type {
        return TokenStream::new();
    }
    let (ty, owner, name) = (&row.field.ty, &row.field.owner, names::path_name(target));
    let written = diag::type_text(ty);
    let what = row.key().map_or_else(|| "_id".to_owned(), names::unraw);
    let of_target = if by_type {
        quote!("")
    } else {
        quote!(__rt::Probe::<#target>::ID_FORM)
    };
    let call = call_with_span(
        &ty.to_token_stream(),
        &quote!(__rt::check::same_form),
        quote!((#function, #of_target), #parent, #owner, #written, #name, #what),
    );
    quote!(const _: () = #call;)
}

/// Checks that one side of a map of references, and only one, holds the references.
fn check_map(
    ir: &Ir<'_>,
    row: &Row<'_>,
    target: &syn::Path,
    (key, value): (&syn::Type, &syn::Type),
) -> TokenStream {
    if row.opaque() || !ir.item.generics.params.is_empty() {
        return TokenStream::new();
    }
    let (ty, owner, name) = (&row.field.ty, &row.field.owner, names::path_name(target));
    let written = diag::type_text(ty);
    let what = row.key().map(names::unraw).unwrap_or_default();
    let in_keys = relation::holds(row, target, key);
    let in_values = relation::holds(row, target, value);
    // A target that is no model, or of an unknown type, gives one error.
    let known = quote!(__rt::Probe::<#target>::IS_MODEL && __rt::Probe::<#ty>::IS_VALUE);
    let call = call_with_span(
        &ty.to_token_stream(),
        &quote!(__rt::check::map),
        quote!((#in_keys, #in_values, #known), #owner, #written, #name, #what),
    );
    quote!(const _: () = #call;)
}

/// Checks a reference by another field of its target: the field exists, has the right type, and has an index.
fn check_key(ir: &Ir<'_>, row: &Row<'_>, target: &syn::Path, key: &syn::Ident) -> TokenStream {
    let (ty, owner) = (&row.field.ty, &row.field.owner);
    let (name, target_name) = (names::unraw(key), names::path_name(target));
    let handle = quote!(<<#target as __rt::Lookup>::Fields as __rt::Handles>::VALUE.#key);
    let untyped = row.opaque() || row.entry().is_some() || row.map().is_some();
    let typed = if untyped || !ir.item.generics.params.is_empty() {
        quote!(const _: () = { let _ = #handle; };)
    } else {
        let span = ty
            .to_token_stream()
            .into_iter()
            .next()
            .map_or_else(Span::call_site, |token| token.span());
        quote_spanned!(span=> const _: () = #handle.__key_of::<#ty>();)
    };
    let slot = relation::key_slot(&quote!(__rt), target, key);
    let call = call_with_span(
        &key.to_token_stream(),
        &quote!(__rt::check::key::<#target, #slot>),
        quote!(__rt::Probe::<#target>::UNIQUE, #owner, #target_name, #name),
    );
    quote!(#typed const _: () = #call;)
}
