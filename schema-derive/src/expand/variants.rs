//! A model that is an enum: documents of several kinds in one collection, distinguished by a tag. Only a variant's own derive
//! sees the variant's fields, so this one looks them up by name.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, format_ident, quote};
use syn::Type;

use super::span::call_with_span;
use super::tokens::with_driver;
use super::{personal, unknown_fields};
use crate::ir::Ir;
use crate::names;
use crate::syntax::{Body, Content};

/// A variant: `Hourly(Hourly)`.
pub(super) struct Kind<'a> {
    ident: &'a Ident,
    /// The value of the tag.
    value: &'a str,
    ty: &'a Type,
    /// `hourly`
    handle: Ident,
}

/// The variants, of a model that is an enum.
pub(super) fn model_variants<'a>(ir: &Ir<'a>) -> Option<Vec<Kind<'a>>> {
    let Body::Enum(variants) = &ir.item.body else {
        return None;
    };
    let kinds = variants
        .iter()
        .filter_map(|variant| match &variant.content {
            Content::Newtype(field) => Some(Kind {
                ident: &variant.ident,
                value: &variant.serde.name,
                ty: &field.ty,
                handle: names::snake(&variant.ident),
            }),
            _ => None,
        });
    ir.is_model().then(|| kinds.collect())
}

/// The variant that stands for every kind that no other variant is.
fn unknown_variant<'a>(ir: &Ir<'a>) -> Option<&'a Ident> {
    let Body::Enum(variants) = &ir.item.body else {
        return None;
    };
    let mut units = variants
        .iter()
        .filter(|variant| matches!(variant.content, Content::Unit));
    let other = units.find(|variant| variant.serde.other)?;
    Some(&other.ident)
}

/// The method that is true for the variant of unknown kinds, for a model that has one.
pub(super) fn expand_is_unknown(ir: &Ir<'_>) -> Option<TokenStream> {
    let other = unknown_variant(ir).filter(|_| ir.is_model() && !ir.failed)?;
    Some(quote!(
        fn is_unknown(&self) -> bool {
            ::core::matches!(self, Self::#other { .. })
        }
    ))
}

/// The tag's stored name.
fn tag_name<'a>(ir: &Ir<'a>) -> &'a str {
    ir.item.serde.tag.as_deref().unwrap_or_default()
}

/// The lookup of the field with this name in the first variant.
fn lookup_in_first(kinds: &[Kind<'_>], name: &str) -> TokenStream {
    match kinds.first() {
        Some(Kind { ty, .. }) => {
            quote!(<#ty as __rt::HasSeg<{ __rt::slot(<#ty as __rt::Names>::NAMES, #name) }>>)
        }
        None => quote!(<__rt::Missing as __rt::HasSeg<0>>),
    }
}

/// The fields of `common(..)`; none for an enum without variants.
fn common_fields<'a>(ir: &Ir<'a>, kinds: &[Kind<'_>]) -> &'a [Ident] {
    match kinds {
        [] => &[],
        _ => &ir.item.attrs.common,
    }
}

/// The type of the `_id`; for an enum without variants, the one that was probably meant.
pub(super) fn id_type(ir: &Ir<'_>, kinds: &[Kind<'_>]) -> TokenStream {
    if kinds.is_empty() {
        return ir.id_type();
    }
    let id = lookup_in_first(kinds, "id");
    quote!(#id::Value)
}

/// The body of `fn id`.
pub(super) fn expand_id(ir: &Ir<'_>, kinds: &[Kind<'_>]) -> TokenStream {
    let name = ir.name();
    let other = unknown_variant(ir).map(|other| quote!(Self::#other { .. } => __rt::no_id(#name),));
    let arms = kinds.iter().map(|Kind { ident, ty, .. }| {
        let slot = quote!({ __rt::slot(<#ty as __rt::Names>::NAMES, "id") });
        quote!(Self::#ident(document) => __rt::id_of::<#ty, _, #slot>(document),)
    });
    quote!(match self { #(#arms)* #other })
}

/// `Value`, and the consts that its table is made of.
pub(super) fn expand_value(ir: &Ir<'_>, kinds: &[Kind<'_>]) -> TokenStream {
    let (ident, name, tag) = (&ir.item.ident, ir.name(), tag_name(ir));
    let all = kinds
        .iter()
        .map(|Kind { ty, .. }| quote!(<#ty as __rt::Value>::FIELDS));
    let sizes = kinds
        .iter()
        .skip(1)
        .map(|Kind { ty, .. }| quote!(.or(<#ty as __rt::Value>::SIZE)));
    let first = kinds.first().map_or_else(
        || quote!(__rt::Size::SCALAR),
        |Kind { ty, .. }| quote!(<#ty as __rt::Value>::SIZE),
    );
    let (mut rests, mut rows) = (TokenStream::new(), Vec::new());
    for (n, kind) in kinds.iter().enumerate() {
        let Kind {
            ident,
            value,
            ty,
            handle,
        } = kind;
        let (rest, rust, shape) = (
            format_ident!("__REST_{n}"),
            names::unraw(handle),
            names::unraw(ident),
        );
        rests.extend(quote! {
            const #rest: &[__rt::FieldRow] = &__rt::variants::rows::<{ __rt::variants::count(__VARIANTS, #n, false) }>(__VARIANTS, #n, false);
        });
        rows.push(quote!(__rt::row::<#ty>(#rust, "").variant(#tag, #value, &__rt::Shape { name: #shape, fields: #rest })));
    }
    let len = kinds.len() + 1;
    // With a variant for unknown kinds, the tag may hold any value.
    let tagged = format_ident!(
        "{}",
        if unknown_variant(ir).is_some() {
            "Any"
        } else {
            "String"
        }
    );
    let shared = if kinds.is_empty() {
        quote!(&[])
    } else {
        quote!(&__rt::variants::rows::<
            { __rt::variants::count(__VARIANTS, 0, true) },
        >(__VARIANTS, 0, true))
    };
    quote! {
        const __VARIANTS: &[&[__rt::FieldRow]] = &[#(#all),*];
        const __SHARED: &[__rt::FieldRow] = #shared;
        #rests
        const __TABLE: &[__rt::FieldRow] = &__rt::variants::table::<{ __SHARED.len() + #len }>(__rt::row_unknown(#tag, #tag, __rt::Kind::#tagged), __SHARED, &[#(#rows),*]);
        impl __rt::Value for #ident {
            type Elem = Self;
            type Sub<__P: __rt::Path> = __rt::NoFields;
            const CARD: __rt::Cardinality = __rt::Cardinality::Standalone;
            const KIND: __rt::Kind = __rt::Kind::Document;
            const FIELDS: &'static [__rt::FieldRow] = __TABLE;
            const SHAPE: ::core::option::Option<&'static __rt::Shape> = ::core::option::Option::Some(&__rt::Shape { name: #name, fields: __TABLE });
            const SIZE: __rt::Size = #first #(#sizes)*;
        }
    }
}

/// The handles: the `_id`, what `common(..)` names, and the fields of each variant.
pub(super) fn expand_handles(ir: &Ir<'_>, kinds: &[Kind<'_>]) -> TokenStream {
    let (model, name, vis, krate) = (
        &ir.item.ident,
        names::handles(&ir.item.ident),
        &ir.item.vis,
        ir.krate(),
    );
    let tag = tag_name(ir);
    let id = id_type(ir, kinds);
    let common = common_fields(ir, kinds);
    let commons = common.iter().map(|field| {
        let asked = lookup_in_first(kinds, &names::unraw(field));
        let doc = format!("`{}` of every variant.", names::unraw(field));
        quote! { #[doc = #doc] #vis #field: #asked::Handle<__rt::Top<#model, __Shared>>, }
    });
    let (mut segments, mut fields, mut markers) =
        (TokenStream::new(), TokenStream::new(), Vec::new());
    for (
        n,
        Kind {
            ident,
            value,
            ty,
            handle,
        },
    ) in kinds.iter().enumerate()
    {
        let marker = format_ident!("__Variant{n}");
        let doc = format!(
            "The fields of a `{}`: a filter on them finds, and a change of them changes, such documents alone.",
            names::unraw(ident)
        );
        segments.extend(quote! {
            #vis enum #marker {}
            impl __rt::Segment for #marker { const NAME: &'static str = ""; type Codec = __rt::Plain; type Presence = __rt::Required; const SCOPE: __rt::Scope = ::core::option::Option::Some((#tag, #value)); }
        });
        fields.extend(quote! { #[doc = #doc] #vis #handle: __rt::Field<__rt::Top<#model, #marker>, #ty, __rt::NotIndexed<#marker>, __rt::Own>, });
        markers.push(handle);
    }
    quote! {
        #vis enum __Id {}
        impl __rt::Segment for __Id { const NAME: &'static str = "_id"; type Codec = __rt::Plain; type Presence = __rt::Required; }
        #vis enum __Shared {}
        impl __rt::Segment for __Shared { const NAME: &'static str = ""; type Codec = __rt::Plain; type Presence = __rt::Required; }
        #segments
        #vis struct #name {
            #[doc = "The `_id`."]
            #vis id: __rt::Field<__rt::Top<#model, __Id>, #id, __rt::Indexed, __rt::Key<#model>>,
            #(#commons)*
            #fields
        }
        #[automatically_derived]
        impl ::core::clone::Clone for #name { fn clone(&self) -> Self { *self } }
        impl ::core::marker::Copy for #name {}
        impl __rt::Handles for #name {
            const VALUE: Self = #name { id: __rt::Field::NEW, #(#common: __rt::Field::NEW,)* #(#markers: __rt::Field::NEW,)* };
            const REF: &'static Self = &<Self as __rt::Handles>::VALUE;
        }
        impl #name {
            #[doc = "Every document, for `scan`."]
            #vis fn all(self) -> #krate::Filter<#model, __rt::Everything> { __rt::everything() }
        }
    }
}

/// The facts that other models look up: the `_id`, and the fields of `common(..)`.
pub(super) fn expand_lookup(ir: &Ir<'_>, kinds: &[Kind<'_>]) -> TokenStream {
    let (model, handles, name, id) = (
        &ir.item.ident,
        names::handles(&ir.item.ident),
        ir.name(),
        id_type(ir, kinds),
    );
    let common: Vec<String> = common_fields(ir, kinds).iter().map(names::unraw).collect();
    let fields = common.iter().enumerate().map(|(n, name)| {
        let (slot, asked) = (n + 1, lookup_in_first(kinds, name));
        quote! { impl __rt::HasField<#slot> for #model { type Type = #asked::Value; type Codec = <#asked::Seg as __rt::Segment>::Codec; } }
    });
    let first = kinds.first().filter(|_| !ir.failed);
    let shared = first.map(|Kind { ty, .. }| {
        quote! {
            const REFERENCES: ::core::option::Option<&'static [__rt::Referring]> = {
                const __REFERENCES: ::core::option::Option<&[__rt::Referring]> = <#ty as __rt::Lookup>::REFERENCES;
                const __FOUND: &[__rt::Referring] = &__rt::variants::references::<{ __rt::variants::referring(__SHARED, __REFERENCES) }>(__SHARED, __REFERENCES);
                ::core::option::Option::Some(__FOUND)
            };
        }
    });
    // A document is read as the struct of its variant.
    let own = ir.item.serde.deny_unknown_fields.is_some();
    let types = kinds.iter().map(|kind| kind.ty);
    let denies = first.map(|_| {
        quote! { const DENIES_UNKNOWN: bool = #own #(|| __rt::Probe::<#types>::DENIES_UNKNOWN)*; }
    });
    quote! {
        impl __rt::Names for #model { const NAMES: &'static [&'static str] = &["id" #(, #common)*]; }
        #[automatically_derived]
        impl __rt::Lookup for #model {
            type Fields = #handles;
            const IS_MODEL: bool = true;
            const COPYABLE: &'static [&'static str] = &["id" #(, #common)*];
            const ID: usize = __rt::ID;
            const UNIQUE: &'static [&'static str] = &["id"];
            const PLACE: &'static str = ::core::concat!(::core::module_path!(), "::", #name);
            #shared
            #denies
            fn tables() -> &'static __rt::ModelMeta { __meta() }
        }
        impl __rt::Projectable for #model { type Handles = #handles; }
        impl __rt::HasField<0> for #model { type Type = #id; type Codec = __rt::Plain; const IS_ID: bool = true; }
        #(#fields)*
        impl __rt::HasField<{ __rt::ID }> for #model { type Type = #id; type Codec = __rt::Plain; }
        impl __rt::RefTo<#model> for #id {}
    }
}

/// `find_hourly`, `count_hourly`, and the impls by which a read may give the variant alone.
pub(super) fn expand_finders(ir: &Ir<'_>, kinds: &[Kind<'_>]) -> TokenStream {
    if ir.failed {
        return TokenStream::new();
    }
    let (model, vis, krate) = (&ir.item.ident, &ir.item.vis, ir.krate());
    let each = kinds.iter().enumerate().map(|(n, Kind { ident, ty, handle, .. })| {
        let marker = format_ident!("__Variant{n}");
        let [find, scan, get, count] = ["find", "scan", "get", "count"].map(|verb| names::relation_method(verb, handle));
        let kind = names::unraw(ident);
        let docs = [
            format!("The `{kind}` documents that meet a filter on their fields which a declared index serves; other variants are not read. As `find`."),
            format!("As `{find}`, for a filter that no index serves."),
            format!("The document with this `_id` if it is a `{kind}`; else `None`. As `get`."),
            format!("How many `{kind}` documents meet a filter which a declared index serves. As `count`."),
        ];
        let [find_doc, scan_doc, get_doc, count_doc] = docs;
        let fields = quote!(<#ty as __rt::Value>::Sub<__rt::Top<#model, #marker>>);
        let asked = quote!(filter(<#fields as __rt::Handles>::VALUE));
        let finders = with_driver(|| quote! {
            impl #model {
                #[doc = #find_doc]
                #vis fn #find<__F, __S, __C>(db: &__rt::Database, filter: __F) -> #krate::crud::Find<'_, #model, #ty, __S::Order> where __F: ::core::ops::FnOnce(#fields) -> #krate::Filter<__C, __S>, __S: __rt::ServedBy<#model, __C> + __rt::Orders {
                    __rt::find_variant::<#model, #ty, #marker, __S::Order>(db, #asked.__served())
                }
                #[doc = #scan_doc]
                #vis fn #scan<__F, __S, __C>(db: &__rt::Database, filter: __F) -> #krate::crud::Find<'_, #model, #ty, __S::Order> where __F: ::core::ops::FnOnce(#fields) -> #krate::Filter<__C, __S>, __S: __rt::AskedOf<#model, __C> {
                    __rt::find_variant::<#model, #ty, #marker, __S::Order>(db, #asked.__scanned())
                }
                #[doc = #get_doc]
                #vis fn #get(db: &__rt::Database, id: impl #krate::field::IntoArg<<#model as __rt::Model>::DocumentId>) -> #krate::crud::FindOne<'_, #model, #ty> {
                    __rt::get_variant::<#model, #ty, #marker>(db, &id.into_arg())
                }
                #[doc = #count_doc]
                #vis fn #count<__F, __S, __C>(db: &__rt::Database, filter: __F) -> #krate::crud::Count<'_, #model> where __F: ::core::ops::FnOnce(#fields) -> #krate::Filter<__C, __S>, __S: __rt::ServedBy<#model, __C> + __rt::Orders, <__S as __rt::Orders>::Order: __rt::Countable {
                    __rt::count_variant::<#model, #marker>(db, #asked.__served())
                }
            }
        });
        quote! {
            #[automatically_derived]
            impl __rt::Projected<#model> for #ty {
                fn read(raw: &__rt::RawDocument) -> ::core::result::Result<Self, __rt::CodecError> {
                    match __rt::decode_document::<#model>(raw)? {
                        #model::#ident(document) => ::core::result::Result::Ok(document),
                        #[allow(unreachable_patterns)]
                        _ => ::core::result::Result::Err(__rt::CodecError::variant(#kind)),
                    }
                }
            }
            #finders
            #[automatically_derived]
            impl ::core::convert::From<#ty> for #model { fn from(document: #ty) -> Self { #model::#ident(document) } }
        }
    });
    each.collect()
}

/// Checks of an embedded enum's variants that hold a struct each: only its type says which fields it stores.
pub(super) fn check_embedded(ir: &Ir<'_>) -> TokenStream {
    let mut out = TokenStream::new();
    if ir.is_model() || ir.item.serde.tag.is_none() {
        return out;
    }
    let (ident, name) = (&ir.item.ident, ir.name());
    let mut earlier = Vec::new();
    let several = ir.stored().nth(1).is_some();
    for (n, row) in ir.stored().enumerate() {
        if !row.unnamed || !several {
            continue;
        }
        // The row after that of the tag. Its type may be opaque, with no fields that are known.
        let (n, ty, owner) = (n + 1, &row.field.ty, row.owner());
        let variant = quote!(__rt::check::Variant { name: #owner, fields: __rt::check::fields_inside(&<#ident as __rt::Value>::FIELDS[#n]), references: __rt::Probe::<#ty>::REFERENCES });
        let check = call_with_span(
            &ty.to_token_stream(),
            &quote!(__rt::check::embedded_variant),
            quote!(#variant, &[#(#earlier),*], __rt::check::Variant { name: #name, fields: <#ident as __rt::Value>::FIELDS, references: ::core::option::Option::None }),
        );
        out.extend(quote!(const _: () = #check;));
        earlier.push(variant);
    }
    out
}

/// Checks that need the variants' types.
pub(super) fn expand_checks(ir: &Ir<'_>, kinds: &[Kind<'_>]) -> TokenStream {
    let name = ir.name();
    let (mut out, fields) = (
        TokenStream::new(),
        |ty: &Type| quote!(<#ty as __rt::Value>::FIELDS),
    );
    let owner = |kind: &Kind<'_>| format!("{name}::{}", names::unraw(kind.ident));
    let (model, versioned) = (&ir.item.ident, ir.item.attrs.schema_version.is_some());
    out.extend(unknown_fields::expand_checks(ir));
    for (n, kind) in kinds.iter().enumerate() {
        let (place, rows, of) = (kind.ty.to_token_stream(), fields(kind.ty), owner(kind));
        let ty = crate::diag::type_text(kind.ty);
        let id = call_with_span(
            &place,
            &quote!(__rt::check::variant_id),
            quote!(#rows, #of, #ty),
        );
        let size = call_with_span(
            &place,
            &quote!(__rt::check::document),
            quote!(#rows, &[], #of),
        );
        let variant = kind.ty;
        let unknown = call_with_span(
            &place,
            &quote!(__rt::check::unknown_in_variant),
            quote!(__rt::Probe::<#variant>::DENIES_UNKNOWN, #versioned, <#model as __rt::Value>::FIELDS, #name, #ty),
        );
        out.extend(quote!(const _: () = #id; const _: () = #size; const _: () = #unknown;));
        out.extend(personal::expand_variant(ir, kind.ty, &of));
        for other in &kinds[..n] {
            let pair = [other, kind].map(|kind| {
                let (ty, name) = (kind.ty, owner(kind));
                quote!(__rt::check::Variant { name: #name, fields: <#ty as __rt::Value>::FIELDS, references: __rt::Probe::<#ty>::REFERENCES })
            });
            let agree = call_with_span(
                &place,
                &quote!(__rt::check::variant_fields),
                quote!(#(#pair),*),
            );
            out.extend(quote!(const _: () = #agree;));
        }
        let rest = format_ident!("__REST_{n}");
        let mut groups = vec![rest];
        match kinds[..n].first() {
            None => groups.push(format_ident!("__SHARED")),
            Some(first) => {
                let first = owner(first);
                let declared = call_with_span(
                    &place,
                    &quote!(__rt::check::variant_shared),
                    quote!(__SHARED, #first, #rows, #of),
                );
                out.extend(quote!(const _: () = #declared;));
            }
        }
        for group in groups {
            let beside = call_with_span(
                &place,
                &quote!(__rt::check::variant_beside),
                quote!(#group, #of),
            );
            out.extend(quote!(const _: () = #beside;));
        }
        for field in &ir.item.attrs.common {
            let word = names::unraw(field);
            let known = call_with_span(
                &field.to_token_stream(),
                &quote!(__rt::check::variant_common),
                quote!(#rows, #of, #word),
            );
            out.extend(quote!(const _: () = #known;));
        }
    }
    out
}
