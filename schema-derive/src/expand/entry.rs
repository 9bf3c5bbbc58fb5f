//! The struct that a reference with copies, or a list of the last children, generates: the id, and the copied fields typed by
//! their source.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, format_ident, quote};
use syn::Type;

use super::codec::{self, Part, Place};
use super::{relation, tokens};
use crate::ir::{Copied, Entry, Ir, Row};
use crate::names;

/// The type and the slot that describe the copied field; see [`relation::source_field`].
fn source(rt: &TokenStream, copied: &Copied<'_>) -> (TokenStream, TokenStream) {
    relation::source_field(rt, copied.from, copied.source)
}

pub(super) fn ty(rt: &TokenStream, copied: &Copied<'_>) -> TokenStream {
    let (owner, slot) = source(rt, copied);
    quote!(<#owner as #rt::HasField<#slot>>::Type)
}

pub(super) fn id_type(rt: &TokenStream, entry: &Entry<'_>) -> TokenStream {
    match (entry.target, entry.key) {
        (None, _) => quote!(#rt::Missing),
        (Some(target), Some(key)) => relation::key_type(rt, target, key),
        (Some(_), None) => {
            let (target, slot) = id_slot(rt, entry).unwrap_or_default();
            quote!(<#target as #rt::HasField<#slot>>::Type)
        }
    }
}

/// Which field the entry's `id` is stored as; none for a key, which is stored as its type says.
fn id_slot(rt: &TokenStream, entry: &Entry<'_>) -> Option<(TokenStream, TokenStream)> {
    let target = entry.target.filter(|_| entry.key.is_none())?;
    let slot =
        quote!({ #[allow(unused_imports)] use #rt::Fallback as _; #rt::Probe::<#target>::ID });
    Some((target.to_token_stream(), slot))
}

/// The functions that write and read the field in this slot.
fn codec_at((target, slot): &(TokenStream, TokenStream)) -> TokenStream {
    quote!(<#target as __rt::HasField<#slot>>::Codec)
}

/// The generated struct, next to the model.
pub(crate) fn definition(ir: &Ir<'_>, row: &Row<'_>, entry: &Entry<'_>) -> TokenStream {
    let (rt, name) = (&ir.rt, entry.name);
    // A public field is as visible as its model at most.
    let vis = match &row.field.vis {
        syn::Visibility::Public(_) => &ir.item.vis,
        vis => vis,
    };
    let id = id_type(rt, entry);
    let fields = entry.copies.iter().map(|copied| {
        let (ident, ty) = (copied.name, ty(rt, copied));
        let doc = format!(
            "A copy of `{}::{}`.",
            names::path_name(copied.from),
            names::dotted(copied.source)
        );
        quote! { #[doc = #doc] #vis #ident: #ty, }
    });
    let derives = entry.derives.map_or_else(
        || {
            quote!(
                ::core::fmt::Debug,
                ::core::clone::Clone,
                ::core::cmp::PartialEq
            )
        },
        |paths| paths.iter().map(|path| quote!(#path,)).collect(),
    );
    let target = entry.target.map(names::path_name).unwrap_or_default();
    let owner = &row.field.owner;
    let doc = if entry.listed {
        format!("One of the last `{target}` documents, in `{owner}`.")
    } else {
        format!("A reference to a `{target}` with copies of its fields, in `{owner}`.")
    };
    let key = entry.key.map_or("_id".to_owned(), names::unraw);
    let id_doc = format!("The `{key}` of the `{target}`.");
    quote! {
        #[doc = #doc]
        #[derive(#derives)]
        #vis struct #name {
            #[doc = #id_doc]
            #vis id: #id,
            #(#fields)*
        }
    }
}

/// True if a stored entry may lack the copy.
fn defaulted(copied: &Copied<'_>) -> bool {
    copied.attr.is_some_and(|attr| attr.default)
}

/// Everything about the entry that needs no name.
pub(crate) fn impls(ir: &Ir<'_>, entry: &Entry<'_>) -> TokenStream {
    let rt = quote!(__rt);
    let serde_path = quote!(#rt::serde);
    let serde_str = format!("{}::serde", ir.rt.to_string().replace(' ', ""));
    let (name, text) = (entry.name, names::unraw(entry.name));
    let (id, stored_id) = (id_type(&rt, entry), &entry.id);
    let copies = &entry.copies;
    let count = copies.len() + 1;
    let shadow = tokens::private(&format!("Read{text}"));
    let module = tokens::private(&format!("field_{text}"));
    let handle = names::handles(name);
    let reads = copies.iter().map(|copied| {
        let (ident, (owner, slot)) = (copied.name, source(&rt, copied));
        let default = defaulted(copied).then(|| quote!(#[serde(default)]));
        let stored = &copied.stored;
        quote! { #default #[serde(rename = #stored)] #ident: __rt::CopyValue<#owner, #slot>, }
    });
    let moves = copies.iter().map(|copied| {
        let ident = copied.name;
        quote!(#ident: read.#ident.0,)
    });
    let writes = copies.iter().map(|copied| {
        let (ident, (owner, slot), stored) = (copied.name, source(&rt, copied), &copied.stored);
        quote!(__rt::serde::ser::SerializeStruct::serialize_field(&mut document, #stored, &__rt::CopyRef::<#owner, #slot>(&self.#ident))?;)
    });
    let markers = copies
        .iter()
        .map(|copied| names::marker(copied.name))
        .collect::<Vec<_>>();
    let segments = copies.iter().zip(&markers).map(|(copied, marker)| {
        let (stored, (owner, slot), ty) = (&copied.stored, source(&rt, copied), ty(&rt, copied));
        // The marker is its own codec: naming the source's would leak a source that is less visible than the entry.
        quote! {
            impl __rt::Segment for #module::#marker { const NAME: &'static str = #stored; type Codec = #module::#marker; }
            impl __rt::Encode<#ty> for #module::#marker {
                fn write<__S: __rt::serde::Serializer>(value: &#ty, serializer: __S) -> ::core::result::Result<__S::Ok, __S::Error> {
                    <<#owner as __rt::HasField<#slot>>::Codec as __rt::Encode<#ty>>::write(value, serializer)
                }
            }
        }
    });
    let fields = copies.iter().zip(&markers).map(|(copied, marker)| {
        let (ident, ty, from) = (copied.name, ty(&rt, copied), copied.from);
        quote! { pub #ident: __rt::Field<__rt::At<__P, #module::#marker>, #ty, __rt::NotIndexed<#module::#marker, __P>, __rt::CopyOf<#from>>, }
    });
    let values = copies.iter().map(|copied| {
        let ident = copied.name;
        quote!(#ident: __rt::Field::NEW,)
    });
    let rows = copies.iter().map(|copied| {
        let (rust, stored, ty) = (names::unraw(copied.name), &copied.stored, ty(&rt, copied));
        let (owner, slot) = source(&rt, copied);
        let copy = copied.attr.map(|attr| {
            let row = relation::copy_row(attr, copied.source, "id");
            quote!(.copy(&#row))
        });
        quote!(, __rt::row::<#ty>(#rust, #stored).with(<#owner as __rt::HasField<#slot>>::WITH).max_len(<#owner as __rt::HasField<#slot>>::MAX_LEN).max(<#owner as __rt::HasField<#slot>>::MAX) #copy)
    });
    let segs = markers.iter().enumerate().map(|(n, marker)| {
        let slot = n + 1;
        quote! { impl __rt::HasSeg<#slot> for #name { type Seg = #module::#marker; type Value = __rt::Missing; type Handle<__P: __rt::Path> = __rt::NoField; } }
    });
    let rust_names = copies.iter().map(|copied| names::unraw(copied.name));
    let refers = entry
        .target
        .filter(|_| !entry.listed)
        .map(|target| refers(&target.to_token_stream(), name));
    let write = entry.target.map_or_else(
        || quote!(__rt::Key<#name>),
        |target| {
            if entry.listed {
                quote!(__rt::CopyOf<#target>)
            } else if entry.key.is_some() {
                quote!(__rt::ReferenceWithCopies<#target, (), __rt::ByKey<#id>>)
            } else {
                quote!(__rt::ReferenceWithCopies<#target>)
            }
        },
    );
    let marker_types = markers.iter();
    // The index of a reference leads with its id.
    let index = if entry.listed {
        quote!(__rt::NotIndexed<#module::id, __P>)
    } else {
        quote!(__rt::Indexed)
    };
    let codec = codec(ir, entry, &shadow.to_string());
    let id_slot = id_slot(&rt, entry);
    // As above: the marker is its own codec.
    let id_marker = match id_slot.as_ref().map(codec_at) {
        Some(codec) => quote! {
            impl __rt::Segment for #module::id { const NAME: &'static str = #stored_id; type Codec = #module::id; }
            impl __rt::Encode<#id> for #module::id {
                fn write<__S: __rt::serde::Serializer>(value: &#id, serializer: __S) -> ::core::result::Result<__S::Ok, __S::Error> {
                    <#codec as __rt::Encode<#id>>::write(value, serializer)
                }
            }
        },
        None => quote! {
            impl __rt::Segment for #module::id { const NAME: &'static str = #stored_id; type Codec = __rt::Plain; }
        },
    };
    let (read_id, move_id, write_id, with) = match &id_slot {
        Some((target, slot)) => (
            quote!(__rt::CopyValue<#target, #slot>),
            quote!(read.id.0),
            quote!(&__rt::CopyRef::<#target, #slot>(&self.id)),
            quote!(.with(<#target as __rt::HasField<#slot>>::WITH)),
        ),
        None => (id.clone(), quote!(read.id), quote!(&self.id), quote!()),
    };
    quote! {
        #codec
        mod #module { pub enum id {} #(pub enum #marker_types {})* }
        #id_marker
        #(#segments)*
        #[derive(#serde_path::Deserialize)]
        #[serde(crate = #serde_str)]
        struct #shadow { #[serde(rename = #stored_id)] id: #read_id, #(#reads)* }
        impl<'de> #serde_path::Deserialize<'de> for #name {
            fn deserialize<__D: #serde_path::Deserializer<'de>>(deserializer: __D) -> ::core::result::Result<Self, __D::Error> {
                let read = <#shadow as #serde_path::Deserialize>::deserialize(deserializer)?;
                ::core::result::Result::Ok(#name { id: #move_id, #(#moves)* })
            }
        }
        impl #serde_path::Serialize for #name {
            fn serialize<__S: #serde_path::Serializer>(&self, serializer: __S) -> ::core::result::Result<__S::Ok, __S::Error> {
                let mut document = #serde_path::Serializer::serialize_struct(serializer, #text, #count)?;
                #serde_path::ser::SerializeStruct::serialize_field(&mut document, #stored_id, #write_id)?;
                #(#writes)*
                #serde_path::ser::SerializeStruct::end(document)
            }
        }
        pub struct #handle<__P: __rt::Path> {
            pub id: __rt::Field<__rt::At<__P, #module::id>, #id, #index, #write>,
            #(#fields)*
        }
        impl<__P: __rt::Path> ::core::clone::Clone for #handle<__P> { fn clone(&self) -> Self { *self } }
        impl<__P: __rt::Path> ::core::marker::Copy for #handle<__P> {}
        impl<__P: __rt::Path> __rt::Handles for #handle<__P> { const VALUE: Self = #handle { id: __rt::Field::NEW, #(#values)* }; const REF: &'static Self = &<Self as __rt::Handles>::VALUE; }
        impl __rt::Value for #name {
            type Elem = Self;
            type Sub<__P: __rt::Path> = #handle<__P>;
            const KIND: __rt::Kind = __rt::Kind::Document;
            const FIELDS: &'static [__rt::FieldRow] = &[__rt::row::<#id>("id", #stored_id) #with #(#rows)*];
            const SHAPE: ::core::option::Option<&'static __rt::Shape> = ::core::option::Option::Some(&__rt::Shape { name: #text, fields: <Self as __rt::Value>::FIELDS });
            const SIZE: __rt::Size = __rt::Size::of(<Self as __rt::Value>::FIELDS, 0, #count);
        }
        impl __rt::Projectable for #name { type Handles = #handle<__rt::Nowhere>; }
        impl __rt::Names for #name { const NAMES: &'static [&'static str] = &["id" #(, #rust_names)*]; }
        impl __rt::HasSeg<0> for #name { type Seg = #module::id; type Value = #id; type Handle<__P: __rt::Path> = __rt::NoField; }
        #(#segs)*
        impl __rt::HasSeg<{ __rt::MISSING }> for #name { type Seg = __rt::Missing; type Value = __rt::Missing; type Handle<__P: __rt::Path> = __rt::NoField; }
        #refers
    }
}

/// The entry is read and written without serde, its copies as their sources' fields are.
fn codec(ir: &Ir<'_>, entry: &Entry<'_>, shadow: &str) -> TokenStream {
    if ir.failed {
        return TokenStream::new();
    }
    let (rt, name) = (quote!(__rt), entry.name);
    let mut parts = vec![Part {
        member: format_ident!("id"),
        ty: Type::Verbatim(id_type(&rt, entry)),
        functions: id_slot(&rt, entry).as_ref().map(codec_at),
        written: Some(entry.id.clone()),
        read: vec![entry.id.clone()],
        unless: None,
        instead: None,
    }];
    parts.extend(entry.copies.iter().map(|copied| {
        let ((owner, slot), stored) = (source(&rt, copied), copied.stored.clone());
        Part {
            member: copied.name.clone(),
            ty: Type::Verbatim(ty(&rt, copied)),
            functions: Some(quote!(<#owner as __rt::HasField<#slot>>::Codec)),
            written: Some(stored.clone()),
            read: vec![stored],
            unless: None,
            instead: defaulted(copied).then(|| quote!(::core::default::Default::default())),
        }
    }));
    let place = Place {
        head: quote!(impl __rt::Element for #name),
        name: &name.to_token_stream(),
        checked: tokens::private(&format!("CHECKED_{}", names::unraw(name))).to_token_stream(),
        serde_name: shadow,
        writes: true,
        lent: None,
    };
    codec::document(&place, None, &parts, codec::skip())
}

/// An entry refers to its target through its `id`.
fn refers(target: &TokenStream, name: &Ident) -> TokenStream {
    quote! { impl __rt::RefTo<#target> for #name {} }
}
