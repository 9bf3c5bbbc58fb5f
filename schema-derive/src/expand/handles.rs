//! The field handles: markers, and the struct that closures receive.

use proc_macro2::{Delimiter, Group, Ident, TokenStream, TokenTree};
use quote::{ToTokens, quote};

use super::{bucket, overflow, relation, tokens};
use crate::check::{self, Served};
use crate::ir::{Fixed, Ir, Role, Row};
use crate::names;
use crate::syntax::{Body, CollationAttr};
use crate::types;

/// A marker type for each field, in a module of their own: a field may be named like a type.
pub(crate) fn expand_markers(ir: &Ir<'_>) -> TokenStream {
    let rows = ir.handles();
    let markers: Vec<&Ident> = rows.iter().map(|row| &row.marker).collect();
    let types: TokenStream = markers
        .iter()
        .flat_map(|marker| empty_enum(marker))
        .collect();
    let names = rows.iter().map(|row| row.stored());
    let holders = rows.iter().map(|row| holders(ir, row));
    let (modules, codecs): (Vec<_>, Vec<_>) = rows.iter().map(|row| tokens::codec(row)).unzip();
    let presence = rows
        .iter()
        .map(|row| match types::option_inner(&row.field.ty) {
            Some(_) => quote!(__Optional),
            None => quote!(__Required),
        });
    let withs = rows
        .iter()
        .filter(|row| row.has_functions())
        .map(|row| expand_codec(row));
    quote! {
        mod __field { #types }
        #(impl __Segment for __field::#markers { const NAME: __Str = #names; type Codec = #modules #codecs; type Presence = #presence; #holders })*
        #(#withs)*
    }
}

/// For a field of an enum: the tag, and its values in the variants that store this field.
fn holders(ir: &Ir<'_>, row: &Row<'_>) -> Option<TokenStream> {
    let (Body::Enum(_), Some(tag)) = (&ir.item.body, &ir.item.serde.tag) else {
        return None;
    };
    let same = |other: &&Row<'_>| {
        other.rust() == row.rust() && other.field.serde.name == row.field.serde.name
    };
    let mut values: Vec<&str> = Vec::new();
    for variant in ir.stored().filter(same).filter_map(|row| row.variant) {
        let names = variant.serde.read.iter().chain([&variant.serde.name]);
        values.extend(names.map(String::as_str));
    }
    values.sort_unstable();
    values.dedup();
    Some(
        quote!(const HOLDERS: ::core::option::Option<(__Str, &'static [__Str])> = ::core::option::Option::Some((#tag, &[#(#values),*]));),
    )
}

/// `pub enum name {}`, all of it at the name.
fn empty_enum(name: &Ident) -> [TokenTree; 4] {
    let span = name.span();
    let mut body = Group::new(Delimiter::Brace, TokenStream::new());
    body.set_span(span);
    [
        Ident::new("pub", span).into(),
        Ident::new("enum", span).into(),
        name.clone().into(),
        body.into(),
    ]
}

/// A field with `#[serde(with = ..)]` is written and read by the functions it names.
fn expand_codec(row: &Row<'_>) -> TokenStream {
    let serde = &row.field.serde;
    let (marker, ty) = (&row.marker, &row.field.ty);
    let write = serde.serialize_with.as_ref().map_or_else(
        || quote!(<#ty as __rt::serde::Serialize>::serialize),
        ToTokens::to_token_stream,
    );
    let read = serde.deserialize_with.as_ref().map_or_else(
        || quote!(<#ty as __rt::serde::Deserialize>::deserialize),
        ToTokens::to_token_stream,
    );
    quote! {
        #[automatically_derived]
        impl __rt::Encode<#ty> for __field::#marker {
            fn write<__S: __rt::serde::Serializer>(value: &#ty, serializer: __S) -> ::core::result::Result<__S::Ok, __S::Error> { #write(value, serializer) }
        }
        #[automatically_derived]
        impl __rt::Decode<#ty> for __field::#marker {
            fn read<'de, __D: __rt::serde::Deserializer<'de>>(deserializer: __D) -> ::core::result::Result<#ty, __D::Error> { #read(deserializer) }
        }
    }
}

/// The struct of handles.
pub(crate) fn expand(ir: &Ir<'_>) -> TokenStream {
    let led = check::leading(ir);
    let name = names::handles(&ir.item.ident);
    let vis = &ir.item.vis;
    let rows = ir.handles();
    let fields = rows.iter().map(|row| {
        let (ident, vis, ty) = (&row.field.ident, field_vis(ir, row), &row.field.ty);
        let marker = &row.marker;
        if is_free(ir, row, &led) {
            let model = &ir.item.ident;
            return quote! { #vis #ident: __Free<#model, __field::#marker, #ty>, };
        }
        let path = if ir.is_model() {
            let model = &ir.item.ident;
            quote!(__Top<#model, __field::#marker>)
        } else {
            quote!(__rt::At<__P, __field::#marker>)
        };
        let (index, write) = (index_kind(ir, row, &led), write_kind(ir, row));
        quote! { #vis #ident: __Field<#path, #ty, #index, #write>, }
    });
    let values: Vec<&Ident> = rows.iter().map(|row| &row.field.ident).collect();
    let targets = targets(ir);
    let conditions = conditions(ir, &led);
    let embedded_led = embedded_led(ir, &led);
    if ir.is_model() {
        let model = &ir.item.ident;
        let krate = ir.krate();
        return quote! {
            #targets
            #vis struct #name { #(#fields)* }
            #[automatically_derived]
            impl ::core::clone::Clone for #name { fn clone(&self) -> Self { *self } }
            impl ::core::marker::Copy for #name {}
            impl __rt::Handles for #name { const VALUE: Self = #name { #(#values: __Field::NEW,)* }; const REF: &'static Self = &<Self as __rt::Handles>::VALUE; }
            impl #name {
                #[doc = "Every document, for `scan`."]
                #vis fn all(self) -> #krate::Filter<#model, __rt::Everything> { __rt::everything() }
            }
            #conditions
            #embedded_led
        };
    }
    let generics = with_path(&ir.item.generics);
    let (impl_generics, type_generics, where_clause) = generics.split_for_impl();
    quote! {
        #targets
        #vis struct #name #impl_generics #where_clause { #(#fields)* __path: ::core::marker::PhantomData<fn() -> __P> }
        #[automatically_derived]
        impl #impl_generics ::core::clone::Clone for #name #type_generics #where_clause { fn clone(&self) -> Self { *self } }
        impl #impl_generics ::core::marker::Copy for #name #type_generics #where_clause {}
        impl #impl_generics __rt::Handles for #name #type_generics #where_clause {
            const VALUE: Self = #name { #(#values: __Field::NEW,)* __path: ::core::marker::PhantomData };
            const REF: &'static Self = &<Self as __rt::Handles>::VALUE;
        }
        #conditions
    }
}

/// An embedded document's generics with the path in front, and the bounds that its consts need on the type parameters.
pub(crate) fn with_path(generics: &syn::Generics) -> syn::Generics {
    let mut generics = tokens::value_bounds(generics);
    let path: syn::GenericParam = syn::parse_quote!(__P: __rt::Path);
    let lifetimes = generics.lifetimes().count();
    generics.params.insert(lifetimes, path);
    generics
}

/// Variants' fields have no visibility of their own.
fn field_vis(ir: &Ir<'_>, row: &Row<'_>) -> TokenStream {
    match &ir.item.body {
        Body::Enum(_) => ir.item.vis.to_token_stream(),
        _ => row.field.vis.to_token_stream(),
    }
}

/// The kinds of filters and of writes that the field allows.
pub(crate) fn index_and_write_kinds(
    ir: &Ir<'_>,
    row: &Row<'_>,
    led: &[(Vec<Ident>, Served)],
) -> (TokenStream, TokenStream) {
    (index_kind(ir, row, led), write_kind(ir, row))
}

/// True if it is a model's field without a role and without an index: this most common kind has a name of its own.
fn is_free(ir: &Ir<'_>, row: &Row<'_>, led: &[(Vec<Ident>, Served)]) -> bool {
    let leads = |path: &[Ident]| path.len() == 1 && names::unraw(&path[0]) == row.field.rust();
    ir.is_model()
        && !ir.failed
        && matches!(row.role, Role::Own)
        && row.fixed().is_none()
        && row.contains().is_none()
        && row.vector().is_none()
        && !bucket::is_maintained(ir, row)
        && !overflow::is_maintained(ir, row)
        && !led.iter().any(|(path, _)| leads(path))
}

/// The kind of filters on the field, by the indexes that serve them.
fn index_kind(ir: &Ir<'_>, row: &Row<'_>, led: &[(Vec<Ident>, Served)]) -> TokenStream {
    let kind = value_index_kind(ir, row, led);
    match (row.contains(), row.vector()) {
        (Some(_), _) => quote!(__rt::WithParts<#kind>),
        (None, Some(_)) => quote!(__rt::WithVectors<#kind>),
        (None, None) => kind,
    }
}

/// The same by the indexes of the field's value.
fn value_index_kind(ir: &Ir<'_>, row: &Row<'_>, led: &[(Vec<Ident>, Served)]) -> TokenStream {
    let (marker, exact) = (&row.marker, exact_index(ir, row, led));
    if collation(row, led).is_none() {
        return exact;
    }
    let other = leads(row, led).any(|served| !matches!(served, Served::Collated(_)));
    let role = matches!(row.role, Role::Refs { .. } | Role::Parent { .. } | Role::Id);
    if other || role {
        quote!(__rt::AlsoCollated<#exact, __field::#marker>)
    } else {
        quote!(__rt::Collated<__field::#marker>)
    }
}

/// The declared indexes that lead with the field.
fn leads<'l, 'i>(
    row: &Row<'_>,
    led: &'l [(Vec<Ident>, Served<'i>)],
) -> impl Iterator<Item = &'l Served<'i>> {
    let name = row.field.rust();
    led.iter()
        .filter(move |(path, _)| path.len() == 1 && names::unraw(&path[0]) == name)
        .map(|(_, served)| served)
}

/// The collation of the first index with one that holds every string of the field.
fn collation<'i>(row: &Row<'_>, led: &[(Vec<Ident>, Served<'i>)]) -> Option<&'i CollationAttr> {
    leads(row, led).find_map(|served| match served {
        Served::Collated(collation) => *collation,
        _ => None,
    })
}

fn exact_index(ir: &Ir<'_>, row: &Row<'_>, led: &[(Vec<Ident>, Served)]) -> TokenStream {
    let marker = &row.marker;
    let own: Vec<&Served> = leads(row, led).collect();
    let reference = matches!(
        &row.role,
        Role::Refs { entry: None, .. } | Role::Parent { entry: None, .. }
    ) && row.map().is_none();
    // The strongest index counts; the library never guesses which of two weaker ones a filter would meet.
    if reference
        || matches!(row.role, Role::Id)
        || own.iter().any(|served| matches!(served, Served::Btree))
        // An index that could not be understood may be the one that a filter needs.
        || ir.failed && own.is_empty()
    {
        return quote!(__rt::Indexed);
    }
    for served in &own {
        match served {
            Served::Sparse => return quote!(__rt::Sparse),
            Served::PartialOwn(_) => return quote!(__rt::Partial<__field::#marker>),
            _ => {}
        }
    }
    for served in &own {
        match served {
            Served::Hashed => return quote!(__rt::Hashed<__field::#marker>),
            Served::Geo => return quote!(__rt::Geo<__field::#marker>),
            Served::Text => return quote!(__rt::TextIndexed<__field::#marker>),
            Served::TextBehind => return quote!(__rt::TextBehind<__field::#marker>),
            _ => {}
        }
    }
    if ir.is_model() {
        quote!(__NotIndexed<__field::#marker>)
    } else {
        quote!(__rt::NotIndexed<__field::#marker, __P>)
    }
}

/// The kind of writes that the field allows.
fn write_kind(ir: &Ir<'_>, row: &Row<'_>) -> TokenStream {
    let model = &ir.item.ident;
    let own = match &row.role {
        Role::Own if row.is_stamp() => quote!(__rt::StampOf<#model>),
        Role::Own if row.fixed() == Some(Fixed::Tenant) => quote!(__rt::TenantOf<#model>),
        Role::Own if row.is_of_tree() => quote!(__rt::OfTree<#model>),
        Role::Own if row.fixed().is_some() => quote!(__rt::Immutable<#model>),
        Role::Own => quote!(__Own),
        Role::Id => quote!(__rt::Key<#model>),
        Role::Version => quote!(__rt::VersionOf<#model>),
        Role::Copy { attr, .. } => {
            let from = &attr.from;
            quote!(__rt::CopyOf<#from>)
        }
        Role::Refs { .. } if row.member().is_some() => {
            let to = target_alias(row);
            quote!(__rt::Memberships<#to>)
        }
        Role::Refs { attr, .. } if attr.inverse.is_some() => other_side(row),
        Role::Recent { .. } | Role::Count(_) => match row.child() {
            Some(child) => quote!(__rt::FromChildren<#child>),
            None => quote!(__rt::Own),
        },
        Role::Refs { attr, entry, .. } => reference(row, &attr.target, entry.is_some()),
        Role::Parent { attr, entry } => {
            let copied = entry.is_some() || ir.has_copies(row);
            let reference = reference(row, &attr.target, copied);
            if row.is_stored_as_id() {
                quote!(__rt::Key<#model, #reference>)
            } else if row.is_of_tree() {
                quote!(__rt::OfTree<#model, #reference>)
            } else {
                reference
            }
        }
    };
    overflow::write_kind(ir, row, bucket::write_kind(ir, row, own))
}

fn reference(row: &Row<'_>, target: &syn::Path, copied: bool) -> TokenStream {
    let kind = if copied {
        quote!(__rt::ReferenceWithCopies)
    } else {
        quote!(__rt::Reference)
    };
    let scalar = scalar(row);
    let to = target_alias(row);
    match (row.key(), scalar) {
        (None, true) => quote!(#kind<#to, __rt::Scalar>),
        (None, false) => quote!(#kind<#to>),
        (Some(key), scalar) => {
            let key = relation::key_type(&quote!(__rt), target, key);
            let value = if scalar {
                quote!(__rt::Scalar)
            } else {
                quote!(())
            };
            quote!(#kind<#to, #value, __rt::ByKey<#key>>)
        }
    }
}

/// True if the ids in the field are certainly single values.
fn scalar(row: &Row<'_>) -> bool {
    row.entry().is_none() && row.map().is_none() && types::scalar_id(types::leaf(&row.field.ty))
}

/// The array of a two-way reference.
fn other_side(row: &Row<'_>) -> TokenStream {
    let to = target_alias(row);
    if scalar(row) {
        quote!(__rt::OtherSide<#to, __rt::Scalar>)
    } else {
        quote!(__rt::OtherSide<#to>)
    }
}

/// The target by another name: without it, the compiler would also advise for an unknown type to give the handles a parameter
/// of that name.
fn target_alias(row: &Row<'_>) -> Ident {
    tokens::private(&format!("to_{}", row.field.rust()))
}

/// The aliases of all targets.
fn targets(ir: &Ir<'_>) -> TokenStream {
    let rows = ir.handles();
    let aliases = rows.iter().filter_map(|row| {
        let target = row.target()?;
        let alias = target_alias(row);
        Some(quote! { type #alias = #target; })
    });
    aliases.collect()
}

/// The conditions of partial indexes on their own leading field, and the collations of those that have one.
fn conditions(ir: &Ir<'_>, led: &[(Vec<Ident>, Served)]) -> TokenStream {
    let mut out = TokenStream::new();
    if led.is_empty() {
        return out;
    }
    for row in ir.handles() {
        let found = led.iter().find_map(|(path, served)| match served {
            Served::PartialOwn(conditions)
                if path.len() == 1 && names::unraw(&path[0]) == row.field.rust() =>
            {
                Some(conditions)
            }
            _ => None,
        });
        if let Some(collation) = collation(row, led) {
            let marker = &row.marker;
            let collation = super::index::expand_collation(collation, &quote!(__rt));
            out.extend(quote! { impl __rt::Collates for __field::#marker { const COLLATION: __rt::CollationRow = *#collation; } });
        }
        if let Some(conditions) = found {
            let marker = &row.marker;
            let ops = conditions
                .iter()
                .map(|op| super::index::expand_condition(op, &quote!(__rt)));
            out.extend(quote! { impl __rt::Conditions for __field::#marker { const ALL: &'static [__rt::ConditionOp] = &[#(#ops),*]; } });
        }
    }
    out
}

/// Fields of embedded documents that an index of this model leads with: `index(keys(address.city))`.
fn embedded_led(ir: &Ir<'_>, led: &[(Vec<Ident>, Served)]) -> TokenStream {
    let mut out = TokenStream::new();
    if !ir.is_model() {
        return out;
    }
    let model = &ir.item.ident;
    let mut seen: Vec<String> = Vec::new();
    for (path, served) in led {
        let dotted = path.iter().map(names::unraw).collect::<Vec<_>>().join(".");
        if path.len() < 2 || !matches!(served, Served::Btree) || seen.contains(&dotted) {
            continue;
        }
        seen.push(dotted);
        let Some(row) = ir.field(&path[0]).filter(|row| row.is_stored()) else {
            continue;
        };
        let (marker, ty) = (&row.marker, &row.field.ty);
        // Walk down: at each step the document type, and the markers on the way to it.
        let mut doc = quote!(<<#ty as __rt::Value>::Elem as __rt::Value>::Elem);
        let mut anchor = quote!(__field::#marker);
        for (n, step) in path[1..].iter().enumerate() {
            let name = names::unraw(step);
            let slot = quote!({ __rt::slot(<#doc as __rt::Names>::NAMES, #name) });
            let seg = quote!(<#doc as __rt::HasSeg<#slot>>::Seg);
            if n + 2 == path.len() {
                // The document's place is the parameter of the trait, since the handle's own marker is what the message names.
                out.extend(quote! { impl __rt::IndexedField<#model, #anchor> for #seg {} });
            } else {
                let inner = quote!(<#doc as __rt::HasSeg<#slot>>::Value);
                anchor = quote!((#anchor, #seg));
                doc = quote!(<<#inner as __rt::Value>::Elem as __rt::Value>::Elem);
            }
        }
    }
    out
}

/// The handles' type of an embedded document at path `P`.
pub(crate) fn type_at(ir: &Ir<'_>, path: &TokenStream) -> TokenStream {
    let name = names::handles(&ir.item.ident);
    let params = ir.item.generics.params.iter().map(|param| match param {
        syn::GenericParam::Lifetime(lifetime) => lifetime.lifetime.to_token_stream(),
        syn::GenericParam::Type(ty) => ty.ident.to_token_stream(),
        syn::GenericParam::Const(constant) => constant.ident.to_token_stream(),
    });
    quote!(#name<#path #(, #params)*>)
}
