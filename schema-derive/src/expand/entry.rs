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
fn source_slot(rt: &TokenStream, copied: &Copied<'_>) -> (TokenStream, TokenStream) {
    relation::source_field(rt, copied.from, copied.source)
}

pub(super) fn copied_type(rt: &TokenStream, copied: &Copied<'_>) -> TokenStream {
    let (owner, slot) = source_slot(rt, copied);
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

/// The field as which the entry's `id` is stored; `None` for a key, which is stored as its type says.
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
pub(crate) fn expand_struct(ir: &Ir<'_>, row: &Row<'_>, entry: &Entry<'_>) -> TokenStream {
    let (rt, name) = (&ir.rt, entry.name);
    // A public field is as visible as its model at most.
    let vis = match &row.field.vis {
        syn::Visibility::Public(_) => &ir.item.vis,
        vis => vis,
    };
    let id = id_type(rt, entry);
    let fields = entry.copies.iter().map(|copied| {
        let (ident, ty) = (copied.name, copied_type(rt, copied));
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

/// A copied field, with the facts that all parts of the expansion need.
struct CopiedField<'a> {
    copied: &'a Copied<'a>,
    name: &'a Ident,
    stored: &'a str,
    ty: TokenStream,
    marker: Ident,
    /// The type that has the source, and its slot there.
    owner: TokenStream,
    slot: TokenStream,
}

/// An entry, with the facts that all parts of its expansion need.
struct Parts<'a> {
    entry: &'a Entry<'a>,
    name: &'a Ident,
    /// The name of the entry as a text.
    text: String,
    id: TokenStream,
    /// The type and the slot by which the id is looked up, unless its type alone says how it is stored.
    id_slot: Option<(TokenStream, TokenStream)>,
    copies: Vec<CopiedField<'a>>,
    /// The module of the markers.
    module: Ident,
    handle: Ident,
    /// The struct that serde reads.
    shadow: Ident,
}

impl<'a> Parts<'a> {
    fn new(entry: &'a Entry<'a>) -> Self {
        let rt = quote!(__rt);
        let text = names::unraw(entry.name);
        let copies = entry.copies.iter().map(|copied| {
            let (owner, slot) = source_slot(&rt, copied);
            CopiedField {
                copied,
                name: copied.name,
                stored: &copied.stored,
                ty: copied_type(&rt, copied),
                marker: names::marker(copied.name),
                owner,
                slot,
            }
        });
        Parts {
            entry,
            name: entry.name,
            id: id_type(&rt, entry),
            id_slot: id_slot(&rt, entry),
            copies: copies.collect(),
            module: tokens::private(&format!("field_{text}")),
            handle: names::handles(entry.name),
            shadow: tokens::private(&format!("Read{text}")),
            text,
        }
    }

    /// The number of stored fields.
    fn count(&self) -> usize {
        self.copies.len() + 1
    }
}

/// The impls of the entry, which need no name.
pub(crate) fn expand_impls(ir: &Ir<'_>, entry: &Entry<'_>) -> TokenStream {
    let parts = Parts::new(entry);
    let codec = codec(ir, &parts);
    let segments = segments(&parts);
    let serde = serde_impls(ir, &parts);
    let handle = handle_impls(&parts);
    let value = value_impls(&parts);
    let lookup = lookup_impls(&parts);
    quote! { #codec #segments #serde #handle #value #lookup }
}

/// The markers of the fields, which give their stored names and their codecs.
fn segments(parts: &Parts<'_>) -> TokenStream {
    let (module, id, stored_id) = (&parts.module, &parts.id, &parts.entry.id);
    let markers = parts.copies.iter().map(|copy| &copy.marker);
    // A marker is its own codec: naming the source's would leak a source that is less visible than the entry.
    let encode = |marker: &TokenStream, ty: &TokenStream, codec: &TokenStream| {
        quote! {
            #[automatically_derived]
            impl __rt::Encode<#ty> for #marker {
                fn write<__S: __rt::serde::Serializer>(value: &#ty, serializer: __S) -> ::core::result::Result<__S::Ok, __S::Error> {
                    <#codec as __rt::Encode<#ty>>::write(value, serializer)
                }
            }
        }
    };
    let segments = parts.copies.iter().map(|copy| {
        let CopiedField { stored, ty, marker, owner, slot, .. } = copy;
        let marker = quote!(#module::#marker);
        let encode = encode(&marker, ty, &quote!(<#owner as __rt::HasField<#slot>>::Codec));
        quote! {
            impl __rt::Segment for #marker { const NAME: &'static str = #stored; type Codec = #marker; type Presence = __rt::Required; }
            #encode
        }
    });
    let id_marker = quote!(#module::id);
    let (id_codec, encode_id) = match parts.id_slot.as_ref().map(codec_at) {
        Some(codec) => (id_marker.clone(), Some(encode(&id_marker, id, &codec))),
        None => (quote!(__rt::Plain), None),
    };
    quote! {
        mod #module { pub enum id {} #(pub enum #markers {})* }
        impl __rt::Segment for #id_marker { const NAME: &'static str = #stored_id; type Codec = #id_codec; type Presence = __rt::Required; }
        #encode_id
        #(#segments)*
    }
}

/// Serde's traits. Copies are read and written as their sources' fields are.
fn serde_impls(ir: &Ir<'_>, parts: &Parts<'_>) -> TokenStream {
    let Parts {
        name, text, shadow, ..
    } = parts;
    let (stored_id, count) = (&parts.entry.id, parts.count());
    let serde_path = quote!(__rt::serde);
    let serde_str = format!("{}::serde", ir.rt.to_string().replace(' ', ""));
    let reads = parts.copies.iter().map(|copy| {
        let CopiedField {
            copied,
            name,
            stored,
            owner,
            slot,
            ..
        } = copy;
        let default = defaulted(copied).then(|| quote!(#[serde(default)]));
        quote! { #default #[serde(rename = #stored)] #name: __rt::CopyValue<#owner, #slot>, }
    });
    let moves = parts.copies.iter().map(|copy| {
        let name = copy.name;
        quote!(#name: read.#name.0,)
    });
    let writes = parts.copies.iter().map(|copy| {
        let CopiedField { name, stored, owner, slot, .. } = copy;
        quote!(__rt::serde::ser::SerializeStruct::serialize_field(&mut document, #stored, &__rt::CopyRef::<#owner, #slot>(&self.#name))?;)
    });
    let (read_id, move_id, write_id) = match &parts.id_slot {
        Some((target, slot)) => (
            quote!(__rt::CopyValue<#target, #slot>),
            quote!(read.id.0),
            quote!(&__rt::CopyRef::<#target, #slot>(&self.id)),
        ),
        None => (parts.id.clone(), quote!(read.id), quote!(&self.id)),
    };
    quote! {
        #[derive(#serde_path::Deserialize)]
        #[serde(crate = #serde_str)]
        struct #shadow { #[serde(rename = #stored_id)] id: #read_id, #(#reads)* }
        #[automatically_derived]
        impl<'de> #serde_path::Deserialize<'de> for #name {
            fn deserialize<__D: #serde_path::Deserializer<'de>>(deserializer: __D) -> ::core::result::Result<Self, __D::Error> {
                let read = <#shadow as #serde_path::Deserialize>::deserialize(deserializer)?;
                ::core::result::Result::Ok(#name { id: #move_id, #(#moves)* })
            }
        }
        #[automatically_derived]
        impl #serde_path::Serialize for #name {
            fn serialize<__S: #serde_path::Serializer>(&self, serializer: __S) -> ::core::result::Result<__S::Ok, __S::Error> {
                let mut document = #serde_path::Serializer::serialize_struct(serializer, #text, #count)?;
                #serde_path::ser::SerializeStruct::serialize_field(&mut document, #stored_id, #write_id)?;
                #(#writes)*
                #serde_path::ser::SerializeStruct::end(document)
            }
        }
    }
}

/// The handle with a handle for each field.
fn handle_impls(parts: &Parts<'_>) -> TokenStream {
    let Parts {
        entry,
        name,
        id,
        module,
        handle,
        ..
    } = parts;
    let fields = parts.copies.iter().map(|copy| {
        let CopiedField { name, ty, marker, .. } = copy;
        let from = copy.copied.from;
        quote! { pub #name: __rt::Field<__rt::At<__P, #module::#marker>, #ty, __rt::NotIndexed<#module::#marker, __P>, __rt::CopyOf<#from>>, }
    });
    let values = parts.copies.iter().map(|copy| {
        let name = copy.name;
        quote!(#name: __rt::Field::NEW,)
    });
    let write = match entry.target {
        None => quote!(__rt::Key<#name>),
        Some(target) if entry.listed => quote!(__rt::CopyOf<#target>),
        Some(target) if entry.key.is_some() => {
            quote!(__rt::ReferenceWithCopies<#target, (), __rt::ByKey<#id>>)
        }
        Some(target) => quote!(__rt::ReferenceWithCopies<#target>),
    };
    // The index of a reference leads with its id.
    let index = if entry.listed {
        quote!(__rt::NotIndexed<#module::id, __P>)
    } else {
        quote!(__rt::Indexed)
    };
    quote! {
        pub struct #handle<__P: __rt::Path> {
            pub id: __rt::Field<__rt::At<__P, #module::id>, #id, #index, #write>,
            #(#fields)*
        }
        #[automatically_derived]
        impl<__P: __rt::Path> ::core::clone::Clone for #handle<__P> { fn clone(&self) -> Self { *self } }
        impl<__P: __rt::Path> ::core::marker::Copy for #handle<__P> {}
        impl<__P: __rt::Path> __rt::Handles for #handle<__P> { const VALUE: Self = #handle { id: __rt::Field::NEW, #(#values)* }; const REF: &'static Self = &<Self as __rt::Handles>::VALUE; }
    }
}

/// The entry's table.
fn value_impls(parts: &Parts<'_>) -> TokenStream {
    let Parts {
        entry,
        name,
        text,
        id,
        handle,
        ..
    } = parts;
    let (stored_id, count) = (&entry.id, parts.count());
    let rows = parts.copies.iter().map(|copy| {
        let CopiedField { copied, stored, ty, owner, slot, .. } = copy;
        let rust = names::unraw(copied.name);
        let row = copied.attr.map(|attr| {
            let row = relation::copy_row(attr, copied.source, "id");
            quote!(.copy(&#row))
        });
        quote!(, __rt::row::<#ty>(#rust, #stored).with(<#owner as __rt::HasField<#slot>>::WITH).max_len(<#owner as __rt::HasField<#slot>>::MAX_LEN).max(<#owner as __rt::HasField<#slot>>::MAX) #row)
    });
    let with = parts
        .id_slot
        .as_ref()
        .map(|(target, slot)| quote!(.with(<#target as __rt::HasField<#slot>>::WITH)));
    quote! {
        impl __rt::Value for #name {
            type Elem = Self;
            type Sub<__P: __rt::Path> = #handle<__P>;
            const KIND: __rt::Kind = __rt::Kind::Document;
            const FIELDS: &'static [__rt::FieldRow] = &[__rt::row::<#id>("id", #stored_id) #with #(#rows)*];
            const SHAPE: ::core::option::Option<&'static __rt::Shape> = ::core::option::Option::Some(&__rt::Shape { name: #text, fields: <Self as __rt::Value>::FIELDS });
            const SIZE: __rt::Size = __rt::Size::of(<Self as __rt::Value>::FIELDS, 0, #count);
        }
        impl __rt::Projectable for #name { type Handles = #handle<__rt::Nowhere>; }
    }
}

/// The facts that other items look up.
fn lookup_impls(parts: &Parts<'_>) -> TokenStream {
    let Parts {
        entry,
        name,
        id,
        module,
        ..
    } = parts;
    let segments = parts.copies.iter().enumerate().map(|(n, CopiedField { marker, .. })| {
        let slot = n + 1;
        quote! { impl __rt::HasSeg<#slot> for #name { type Seg = #module::#marker; type Value = __rt::Missing; type Handle<__P: __rt::Path> = __rt::NoField; } }
    });
    let rust_names = parts.copies.iter().map(|copy| names::unraw(copy.name));
    let target = entry.target.filter(|_| !entry.listed);
    let refers = target.map(|target| impl_ref_to(&target.to_token_stream(), name));
    quote! {
        impl __rt::Names for #name { const NAMES: &'static [&'static str] = &["id" #(, #rust_names)*]; }
        impl __rt::HasSeg<0> for #name { type Seg = #module::id; type Value = #id; type Handle<__P: __rt::Path> = __rt::NoField; }
        #(#segments)*
        impl __rt::HasSeg<{ __rt::MISSING }> for #name { type Seg = __rt::Missing; type Value = __rt::Missing; type Handle<__P: __rt::Path> = __rt::NoField; }
        #refers
    }
}

/// The entry is read and written without serde, its copies as their sources' fields are.
fn codec(ir: &Ir<'_>, parts: &Parts<'_>) -> TokenStream {
    if ir.failed {
        return TokenStream::new();
    }
    let (stored_id, name) = (&parts.entry.id, parts.name);
    let mut fields = vec![Part {
        member: format_ident!("id"),
        ty: Type::Verbatim(parts.id.clone()),
        functions: parts.id_slot.as_ref().map(codec_at),
        written: Some(stored_id.clone()),
        read: vec![stored_id.clone()],
        unless: None,
        instead: None,
    }];
    fields.extend(parts.copies.iter().map(|copy| {
        let (owner, slot) = (&copy.owner, &copy.slot);
        Part {
            member: copy.name.clone(),
            ty: Type::Verbatim(copy.ty.clone()),
            functions: Some(quote!(<#owner as __rt::HasField<#slot>>::Codec)),
            written: Some(copy.stored.to_owned()),
            read: vec![copy.stored.to_owned()],
            unless: None,
            instead: defaulted(copy.copied).then(|| quote!(::core::default::Default::default())),
        }
    }));
    let place = Place {
        head: quote!(impl __rt::Element for #name),
        name: &name.to_token_stream(),
        checked: tokens::private(&format!("CHECKED_{}", parts.text)).to_token_stream(),
        serde_name: &parts.shadow.to_string(),
        writes: true,
        lent: None,
    };
    codec::document(&place, None, &fields, codec::skip())
}

/// An entry refers to its target through its `id`.
fn impl_ref_to(target: &TokenStream, name: &Ident) -> TokenStream {
    quote! { impl __rt::RefTo<#target> for #name {} }
}
