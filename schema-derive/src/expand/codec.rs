//! The codec: how a document is written and read without serde, with the meaning of its serde derives. A type whose
//! attributes this codec cannot honour exactly as serde does gets no codec, and goes through serde.

mod enums;

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote};
use syn::{Lifetime, LitByteStr, Type};

use super::tokens;
use crate::ir::Ir;
use crate::syntax::{
    Body, Field, Instead, Item, ProjectedField, Projection, SerdeField, SerdeItem,
};
use crate::types;

/// A field of a document.
pub(super) struct Part {
    /// The name of the field in the struct.
    pub(super) member: Ident,
    pub(super) ty: Type,
    /// The functions of `with = ..` that write and read the field.
    pub(super) functions: Option<TokenStream>,
    /// The key to write; `None` for a field that is never stored.
    pub(super) written: Option<String>,
    /// The keys to read, if any.
    pub(super) read: Vec<String>,
    pub(super) unless: Option<TokenStream>,
    /// An expression for an absent value.
    pub(super) instead: Option<TokenStream>,
}

/// The type that a codec is written for, with the head of its impl.
pub(super) struct Place<'a> {
    pub(super) head: TokenStream,
    pub(super) name: &'a TokenStream,
    pub(super) checked: TokenStream,
    /// The name by which serde's derive reads the type.
    pub(super) serde_name: &'a str,
    /// True if the type is written as well: a projection is not.
    pub(super) writes: bool,
    /// The lifetime of a projection that borrows.
    pub(super) lent: Option<&'a Lifetime>,
}

/// True if the item has a codec.
pub(crate) fn generated(ir: &Ir<'_>) -> bool {
    let item = ir.item;
    if ir.failed || item.serde.special || item.generics.lifetimes().next().is_some() {
        return false;
    }
    let told_apart = item.serde.tag.is_some() || item.serde.content.is_some();
    match &item.body {
        Body::Struct(fields) => !told_apart && fields.iter().all(named),
        Body::Newtype(field) => !told_apart && plain(field),
        Body::Enum(variants) => enums::generated(item, variants),
    }
}

/// True if the codec supports every serde attribute of a named field.
fn named(field: &Field) -> bool {
    let serde = &field.serde;
    let both = serde.with.is_some() && serde.skip.is_some();
    let read = serde.read.iter().all(|name| !name.contains('\0'));
    !serde.special && !both && serde.flatten.is_none() && read
}

/// True if the codec supports every serde attribute of an unnamed field.
fn plain(field: &Field) -> bool {
    let serde = &field.serde;
    !serde.special
        && serde.with.is_none()
        && serde.skip.is_none()
        && serde.skip_if.is_none()
        && serde.flatten.is_none()
}

pub(crate) fn expand(ir: &Ir<'_>) -> TokenStream {
    if !generated(ir) {
        return TokenStream::new();
    }
    let item = ir.item;
    let generics = bounds(item);
    let (impl_generics, _, where_clause) = generics.split_for_impl();
    let (_, type_generics, _) = item.generics.split_for_impl();
    let (name, serde_name) = (item.ident.to_token_stream(), ir.name());
    let place = Place {
        head: quote!(impl #impl_generics __rt::Element for #name #type_generics #where_clause),
        name: &name,
        checked: quote!(__CHECKED),
        serde_name: &serde_name,
        writes: true,
        lent: None,
    };
    match &item.body {
        Body::Struct(fields) => {
            let of_item = |field: &Field| matches!(field.serde.instead, Instead::OfItem);
            let setup = fields
                .iter()
                .any(of_item)
                .then(|| default_item(&item.serde));
            let parts: Vec<Part> = fields
                .iter()
                .map(|field| part(&field.ident, &field.ty, &field.serde))
                .collect();
            document(&place, setup.as_ref(), &parts, unknown(&item.serde))
        }
        Body::Newtype(field) => newtype(&place, field),
        Body::Enum(variants) => enums::expand(&place, item, variants),
    }
}

/// The codec of a projection, which is only read. Serde reads a projection that has a field with functions of its own; an item
/// without fields was refused, and need not be a struct.
pub(super) fn projection(item: &Projection) -> Option<TokenStream> {
    let taken = |field: &ProjectedField| {
        let serde = &field.serde;
        let named = serde.read.iter().all(|name| !name.contains('\0'));
        !serde.special && serde.with.is_none() && serde.flatten.is_none() && named
    };
    let serde = &item.serde;
    let plain =
        !serde.special && serde.tag.is_none() && item.generics.type_params().next().is_none();
    if !plain || item.fields.is_empty() || !item.fields.iter().all(taken) {
        return None;
    }
    let name = item.ident.to_token_stream();
    let lent = item.lifetime();
    let place = Place {
        head: match lent {
            Some(lent) => quote!(impl<#lent> __rt::Borrows<#lent> for #name<#lent>),
            None => quote!(impl __rt::Element for #name),
        },
        name: &name,
        checked: quote!(__CHECKED),
        serde_name: &crate::names::unraw(&item.ident),
        writes: false,
        lent,
    };
    let parts: Vec<Part> = item
        .fields
        .iter()
        .map(|field| {
            let part = part(&field.ident, &field.ty, &field.serde);
            let lent = lent.filter(|_| types::borrows(&field.ty));
            Part {
                functions: lent.map(|lent| quote!(__rt::Lent<#lent>)),
                ..part
            }
        })
        .collect();
    let of_item = |field: &ProjectedField| matches!(field.serde.instead, Instead::OfItem);
    let setup = item.fields.iter().any(of_item).then(|| default_item(serde));
    Some(document(&place, setup.as_ref(), &parts, unknown(serde)))
}

/// The struct's own default, whose fields stand in for absent ones.
fn default_item(serde: &SerdeItem) -> TokenStream {
    let default = serde.default_fn.as_ref().map_or_else(
        || quote!(<Self as ::core::default::Default>::default),
        ToTokens::to_token_stream,
    );
    quote!(let __default: Self = #default();)
}

fn part(member: &Ident, ty: &Type, serde: &SerdeField) -> Part {
    let unread = serde.skip.is_some() && !serde.sought;
    let instead = match &serde.instead {
        Instead::OfItem => Some(quote!(__default.#member)),
        Instead::Default => Some(quote!(::core::default::Default::default())),
        Instead::Function(function) => Some(quote!(#function())),
        Instead::Nothing if unread => Some(quote!(::core::default::Default::default())),
        Instead::Nothing => None,
    };
    Part {
        functions: serde.with.is_some().then(|| quote!(__field::#member)),
        written: serde.skip.is_none().then(|| serde.name.clone()),
        read: if unread {
            Vec::new()
        } else {
            serde.read.clone()
        },
        unless: serde.skip_if.clone(),
        member: member.clone(),
        ty: ty.clone(),
        instead,
    }
}

/// The code for a stored field that the struct does not have: it is refused or skipped.
fn unknown(serde: &SerdeItem) -> TokenStream {
    if serde.deny_unknown_fields.is_some() {
        quote!(false)
    } else {
        skip()
    }
}

/// The code that passes over a stored field.
pub(super) fn skip() -> TokenStream {
    quote!(__rest.skip(__kind).is_ok())
}

/// The codec of a document of named fields. A chain of conditions costs the compiler less than a `?` for every field.
pub(super) fn document(
    place: &Place<'_>,
    setup: Option<&TokenStream>,
    parts: &[Part],
    unknown: TokenStream,
) -> TokenStream {
    let Place {
        head,
        name,
        checked,
        serde_name,
        writes,
        lent,
    } = place;
    let (reader, ask) = match lent {
        Some(lent) => (quote!(#lent), quote!(__rt::AskBorrowed::<#lent, Self>::NEW)),
        None => (quote!('_), quote!(__rt::Ask::<Self>::NEW)),
    };
    let puts = puts(parts, |member| quote!(&self.#member));
    let names = parts.iter().flat_map(|part| &part.read);
    let Reads { before, fields } = reads(parts, &unknown);
    let write = writes.then(|| {
        quote! {
            fn write(&self, __key: &[u8], __to: &mut __rt::Writer) -> ::core::result::Result<(), __rt::Refused> {
                let __open = #checked.document(__key, __to)?;
                if !(true #puts) { return ::core::result::Result::Err(__rt::Refused); }
                #checked.end(__open, __key, __to, &|__key, __to| (&__rt::put(self)).put_checked(__key, __to))
            }
        }
    });
    quote! {
        static #checked: __rt::Checked = __rt::Checked::new();
        #[automatically_derived]
        #head {
            #write
            #[inline]
            fn read(__kind: u8, __from: &mut __rt::Reader<#reader>) -> ::core::result::Result<Self, __rt::Refused> {
                #checked.reads(|| (&#ask).ask(), __rt::Form::Struct, #serde_name, &[#(#names),*])?;
                let mut __from = __from.document(__kind)?;
                #setup
                #before
                ::core::result::Result::Ok(#name { #fields })
            }
        }
    }
}

/// `&& (__put(&self.name).put(b"name\0", __to))` of every field; `value` is where its value is.
fn puts(parts: &[Part], value: impl Fn(&Ident) -> TokenStream) -> TokenStream {
    // Each list is repeated in one piece: to join streams of tokens costs a derive more than to make them.
    let written: Vec<&Part> = parts.iter().filter(|part| part.written.is_some()).collect();
    let values: Vec<TokenStream> = written.iter().map(|part| value(&part.member)).collect();
    let keys = written
        .iter()
        .flat_map(|part| &part.written)
        .map(|key| bytes(key));
    let puts = written.iter().map(|part| {
        format_ident!(
            "{}",
            if part.functions.is_some() {
                "__put_by"
            } else {
                "__put"
            }
        )
    });
    let functions = written.iter().map(|part| {
        let functions = part.functions.as_ref()?;
        Some(quote!(::<#functions, _>))
    });
    let unless = written.iter().zip(&values).map(|(part, value)| {
        let unless = part.unless.as_ref()?;
        Some(quote!(#unless(#value) ||))
    });
    quote!(#(&& (#unless #puts #functions (#values).put(#keys, __to)))*)
}

/// The code that reads the fields of a document, and the fields that the struct has then.
struct Reads {
    before: TokenStream,
    fields: TokenStream,
}

/// The code that reads the elements of one document from `__from`.
fn reads(parts: &[Part], unknown: &TokenStream) -> Reads {
    let read: Vec<&Part> = parts.iter().filter(|part| !part.read.is_empty()).collect();
    let places: Vec<Ident> = (0..read.len()).map(|n| format_ident!("__{n}")).collect();
    let types = read.iter().map(|part| &part.ty);
    let functions = read.iter().map(|part| {
        let functions = part.functions.as_ref()?;
        Some(quote!(, #functions))
    });
    let slots = quote!(#(let #places = &mut __Slot::<#types #functions>::new();)*);
    let keys: Vec<Vec<LitByteStr>> = read
        .iter()
        .map(|part| part.read.iter().map(|key| bytes(key)).collect())
        .collect();
    let firsts = keys.iter().map(|keys| &keys[0]);
    let nexts = quote!(#(&& #places.next(&mut __from, #firsts))*);
    let arms = quote!(#(#(#keys)|* => #places.fill(__kind, &mut __rest),)*);
    let unread = parts.iter().filter(|part| part.read.is_empty());
    let (unread, absent): (Vec<_>, Vec<_>) =
        unread.map(|part| (&part.member, &part.instead)).unzip();
    let placed = read.iter().zip(&places);
    let (optional, needed): (Vec<_>, Vec<_>) = placed.partition(|(part, _)| part.instead.is_some());
    let (optional, at): (Vec<&Part>, Vec<_>) = optional.into_iter().unzip();
    let instead = optional.iter().map(|part| &part.instead);
    let optional = optional.iter().map(|part| &part.member);
    let defaulted = quote!(#(#optional: #at.or(|| #instead),)* #(#unread: #absent,)*);
    let (needed, at): (Vec<&Part>, Vec<_>) = needed.into_iter().unzip();
    let needed = needed.iter().map(|part| &part.member);
    let fields = quote!(#(#needed: #at.take()?,)* #defaulted);
    let before = quote! {
        #slots
        if !(true #nexts) { return ::core::result::Result::Err(__rt::Refused); }
        let mut __rest = __from;
        while let ::core::option::Option::Some((__key, __kind)) = __rest.key()? {
            let __read = match __key { #arms _ => #unknown, };
            if !__read { return ::core::result::Result::Err(__rt::Refused); }
        }
    };
    Reads { before, fields }
}

/// A newtype is stored as the value that it holds.
fn newtype(place: &Place<'_>, field: &Field) -> TokenStream {
    let Place {
        head,
        name,
        checked,
        serde_name,
        ..
    } = place;
    let ty = &field.ty;
    quote! {
        static #checked: __rt::Checked = __rt::Checked::new();
        #[automatically_derived]
        #head {
            fn write(&self, __key: &[u8], __to: &mut __rt::Writer) -> ::core::result::Result<(), __rt::Refused> {
                #checked.value(__key, __to, |__key, __to| __rt::done(__rt::put(&self.0).put(__key, __to)), &|__key, __to| (&__rt::put(self)).put_checked(__key, __to))
            }
            fn read(__kind: u8, __from: &mut __rt::Reader<'_>) -> ::core::result::Result<Self, __rt::Refused> {
                #checked.reads(|| (&__rt::Ask::<Self>::NEW).ask(), __rt::Form::Newtype, #serde_name, &[])?;
                let mut __value = __rt::Slot::<#ty>::new();
                __rt::done((&mut __value).fill(__kind, __from))?;
                ::core::result::Result::Ok(#name { 0: __value.present()? })
            }
        }
    }
}

/// A type is an element if its parameters, and the field types made of them, are.
fn bounds(item: &Item) -> syn::Generics {
    let mut generics = tokens::value_bounds(&item.generics);
    let params: Vec<String> = item
        .generics
        .type_params()
        .map(|param| param.ident.to_string())
        .collect();
    if params.is_empty() {
        return generics;
    }
    let clause = generics.make_where_clause();
    for param in item.generics.type_params() {
        let ident = &param.ident;
        clause.predicates.push(syn::parse_quote!(
            #ident: __rt::serde::Serialize + __rt::serde::de::DeserializeOwned + __rt::Element
        ));
    }
    for field in item.body.fields() {
        let ty = &field.ty;
        if field.serde.with.is_none() && mentions(ty.to_token_stream(), &params) {
            clause
                .predicates
                .push(syn::parse_quote!(#ty: __rt::Element));
        }
    }
    generics
}

fn mentions(tokens: TokenStream, params: &[String]) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Ident(ident) => params.contains(&ident.to_string()),
        TokenTree::Group(group) => mentions(group.stream(), params),
        _ => false,
    })
}

/// A key with its NUL.
fn bytes(key: &str) -> LitByteStr {
    LitByteStr::new(format!("{key}\0").as_bytes(), Span::call_site())
}
