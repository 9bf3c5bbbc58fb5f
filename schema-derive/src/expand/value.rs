//! `Value`: the rows of the fields, their sizes, and the handles that lead inside.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote};

use super::{children, handles, index, period, personal, relation, span, tokens, tree, values};
use crate::ir::{Fixed, Ir, Role, Row};
use crate::syntax::{Body, Content, Kind};
use crate::{names, types};

pub(crate) fn expand(ir: &Ir<'_>) -> TokenStream {
    let ident = &ir.item.ident;
    let generics = tokens::value_bounds(&ir.item.generics);
    let (impl_generics, _, where_clause) = generics.split_for_impl();
    let (_, type_generics, _) = ir.item.generics.split_for_impl();
    let body = match &ir.item.body {
        Body::Newtype(field) => {
            let body = if field.serde.with.is_some() {
                expand_opaque_newtype(&field.ty)
            } else {
                expand_newtype(&field.ty)
            };
            let span = field
                .ty
                .to_token_stream()
                .into_iter()
                .next()
                .map_or_else(Span::call_site, |token| token.span());
            // Span everything at the type, so that an error in it is reported once, at the type.
            return span::respan(
                &quote! { impl #impl_generics __rt::Value for #ident #type_generics #where_clause { #body } },
                span,
            );
        }
        Body::Enum(variants)
            if ir.item.serde.tag.is_none()
                && variants
                    .iter()
                    .all(|variant| matches!(variant.content, Content::Unit)) =>
        {
            let tags = expand_tags(ir);
            quote! {
                type Elem = Self;
                type Sub<__P: __rt::Path> = __rt::NoFields;
                const KIND: __rt::Kind = __rt::Kind::String;
                const MAP_KEY: bool = true;
                const WORST: u64 = 5;
                const MOST: u64 = __rt::text_bytes(<Self as __rt::Value>::TAGS);
                const TAGS: &'static [&'static str] = &[#(#tags),*];
            }
        }
        // Allowed without a tag: its fields lie under the variant's name or nowhere, so no path leads to them.
        Body::Enum(_) if ir.item.serde.tag.is_none() => quote! {
            type Elem = Self;
            type Sub<__P: __rt::Path> = __rt::NoFields;
            const KIND: __rt::Kind = __rt::Kind::Any;
            const WORST: u64 = 5;
            const MOST: u64 = __rt::UNBOUNDED;
        },
        _ => expand_document(ir),
    };
    quote! { impl #impl_generics __rt::Value for #ident #type_generics #where_clause { #body } }
}

/// The tags that a stored enum may have; none where a variant stands for every other one.
fn expand_tags(ir: &Ir<'_>) -> Vec<String> {
    let Body::Enum(variants) = &ir.item.body else {
        return Vec::new();
    };
    if variants.iter().any(|variant| variant.serde.other) {
        return Vec::new();
    }
    let mut tags: Vec<String> = Vec::new();
    for variant in variants {
        let written = variant.serde.written.then_some(&variant.serde.name);
        for tag in written.into_iter().chain(&variant.serde.read) {
            if !tags.contains(tag) {
                tags.push(tag.clone());
            }
        }
    }
    tags
}

/// A newtype whose value has serde functions of its own: only they determine the stored form.
fn expand_opaque_newtype(ty: &syn::Type) -> TokenStream {
    let nullable = types::option_inner(ty).is_some();
    quote! {
        type Elem = Self;
        type Sub<__P: __rt::Path> = __rt::NoFields;
        const KIND: __rt::Kind = __rt::Kind::Any;
        const NULLABLE: bool = #nullable;
        const MAP_KEY: bool = true;
        const MOST: u64 = __rt::UNBOUNDED;
    }
}

/// A newtype is stored as the value that it holds.
fn expand_newtype(ty: &syn::Type) -> TokenStream {
    let inner = quote!(<#ty as __rt::Value>);
    quote! {
        type Elem = #inner::Elem;
        type Sub<__P: __rt::Path> = #inner::Sub<__P>;
        const CARD: __rt::Cardinality = #inner::CARD;
        const KIND: __rt::Kind = #inner::KIND;
        const NULLABLE: bool = #inner::NULLABLE;
        const TRAP: __rt::SerdePitfall = #inner::TRAP;
        const COMPARED_IN_LISTS: bool = #inner::COMPARED_IN_LISTS;
        const MAP_KEY: bool = #inner::MAP_KEY;
        const MAP_KEYS_OK: bool = #inner::MAP_KEYS_OK;
        const SHAPE: ::core::option::Option<&'static __rt::Shape> = #inner::SHAPE;
        const WORST: u64 = #inner::WORST;
        const MOST: u64 = #inner::MOST;
        const TAGS: &'static [&'static str] = #inner::TAGS;
        const RANGE: ::core::option::Option<(i64, i64)> = #inner::RANGE;
        const ELEMS: u64 = #inner::ELEMS;
        const DEPTH: u64 = #inner::DEPTH;
        const COPY_ARRAYS: u64 = #inner::COPY_ARRAYS;
        const HOLDS_COPIES: bool = #inner::HOLDS_COPIES;
    }
}

fn expand_document(ir: &Ir<'_>) -> TokenStream {
    let name = ir.name();
    let (card, sub) = match ir.item.kind {
        Kind::Model => (
            quote!(
                const CARD: __rt::Cardinality = __rt::Cardinality::Standalone;
            ),
            quote!(__rt::NoFields),
        ),
        Kind::Embed => (TokenStream::new(), handles::type_at(ir, &quote!(__P))),
    };
    let tag = ir.item.serde.tag.as_ref().map(|tag| {
        let tags = expand_tags(ir);
        quote! { __rt::row_unknown(#tag, #tag, __rt::Kind::String).tag(&[#(#tags),*]), }
    });
    let rows = ir.stored().map(|row| expand_row(ir, row));
    let size = expand_size(ir);
    quote! {
        type Elem = Self;
        type Sub<__P: __rt::Path> = #sub;
        #card
        const KIND: __rt::Kind = __rt::Kind::Document;
        const FIELDS: &'static [__rt::FieldRow] = &[#tag #(#rows),*];
        const SHAPE: ::core::option::Option<&'static __rt::Shape> = ::core::option::Option::Some(&__rt::Shape { name: #name, fields: <Self as __rt::Value>::FIELDS });
        const SIZE: __rt::Size = #size;
    }
}

/// `row::<Vec<Id<Part>>>("parts", "parts").max(2000).relation(&..)`
fn expand_row(ir: &Ir<'_>, row: &Row<'_>) -> TokenStream {
    let (rust, mut name, ty) = (row.field.rust(), row.stored(), &row.field.ty);
    let mut rust = rust;
    if let Some(content) = ir.polymorphic() {
        (rust, name) = (content.to_owned(), content);
    } else if row.unnamed {
        name = "";
    }
    let mut out = if row.opaque() && matches!(row.role, Role::Refs { .. }) && row.map().is_none() {
        // The ids are stored in an array, regardless of the functions that write them.
        quote!(__rt::row_unknown(#rust, #name, __rt::Kind::Array))
    } else if row.opaque() {
        quote!(__rt::row_unknown(#rust, #name, __rt::Kind::Any))
    } else if ir.item.generics.params.is_empty() {
        quote!(__rt::Probe::<#ty>::STORED.row(#rust, #name))
    } else {
        quote!(__rt::row::<#ty>(#rust, #name))
    };
    if row.has_functions() {
        out.extend(quote!(.with(true)));
    }
    let aliases = row.field.serde.read_also();
    if !aliases.is_empty() {
        out.extend(quote!(.aliases(&[#(#aliases),*])));
    }
    let (max_len, max) = relation::bounds(row, &quote!(__rt));
    out.extend(max_len.map(|max_len| quote!(.max_len(#max_len))));
    out.extend(values::expand(ir, row));
    let serde = &row.field.serde;
    if serde.default || serde.skip_if.is_some() || ir.item.serde.default {
        out.extend(quote!(.absent()));
    }
    out.extend(max.map(|max| quote!(.max(#max))));
    if let Some(relation) = relation::expand_row(ir, row) {
        out.extend(quote!(.relation(&#relation)));
    }
    if let Some(derived) = children::expand_row(row) {
        out.extend(quote!(.derived(&#derived)));
    }
    if let Role::Count(number) = &row.role
        && let Some(at) = number.at.as_ref().map(names::unraw)
    {
        out.extend(quote!(.dated(#at)));
    }
    if let Some(period) = period::expand_row(ir, row) {
        out.extend(quote!(.period(&#period)));
    }
    if let Some(tree) = tree::expand_row(ir, row) {
        out.extend(quote!(.tree(#tree)));
    }
    if matches!(row.role, Role::Version) {
        out.extend(quote!(.version(__rt::ProbeSame::<#ty, ::core::primitive::i32>::IS_SAME)));
    }
    if let Some(fixed) = row.fixed().filter(|_| ir.is_model()) {
        let kind = match fixed {
            Fixed::Created => quote!(Created),
            Fixed::Updated => quote!(Updated),
            Fixed::Deleted => quote!(Deleted),
            Fixed::Immutable => quote!(Immutable),
            Fixed::Tenant => quote!(Tenant),
        };
        out.extend(quote!(.fixed(__rt::Fixed::#kind)));
    } else if ir.leaves_version(row) {
        out.extend(quote!(.fixed(__rt::Fixed::Volatile)));
    }
    out.extend(personal::expand_row(row));
    if let Some(min) = row.contains().map(|attr| attr.min) {
        out.extend(quote!(.contains(#min)));
    }
    out.extend(index::expand_vector(row));
    if let Role::Copy { attr, via } = &row.role {
        let copy = relation::copy_row(attr, &attr.fields[0], &via.rust());
        out.extend(quote!(.copy(&#copy)));
    }
    if !row.indexes().is_empty() {
        let rows = row
            .indexes()
            .iter()
            .map(|attr| index::expand_row(attr, &quote!(__rt)));
        out.extend(quote!(.indexes(&[#(#rows),*])));
    }
    out
}

/// The sums over the rows; of an enum those of its largest variant, each with the tag.
fn expand_size(ir: &Ir<'_>) -> TokenStream {
    let fields = quote!(<Self as __rt::Value>::FIELDS);
    let Body::Enum(variants) = &ir.item.body else {
        return quote!(__rt::Size::of(#fields, 0, #fields.len()));
    };
    let tags = usize::from(ir.item.serde.tag.is_some());
    let mut out = quote!(__rt::Size::of(#fields, 0, #tags));
    for variant in variants {
        let stored = ir.stored().enumerate();
        let rows = stored.filter(|(_, row)| row.is_of(variant));
        let rows: Vec<usize> = rows.map(|(n, _)| n).collect();
        if let (Some(first), Some(last)) = (rows.first(), rows.last()) {
            let (from, to) = (first + tags, last + tags + 1);
            let tagged = (tags > 0).then(|| quote!(.tagged(&#fields[0])));
            out.extend(quote!(.or(__rt::Size::of(#fields, #from, #to) #tagged)));
        }
    }
    out
}
