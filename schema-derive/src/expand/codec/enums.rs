//! The codec of enums, for each of serde's ways to tag variants.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use super::{Part, Place, Reads, bytes, named, part, plain, puts, reads, unknown};
use crate::syntax::{Content, Field, Item, SerdeItem, Variant};

/// The way in which serde tags the variants.
#[derive(Clone, Copy)]
enum Tagging<'a> {
    /// A variant without content is a string, any other a document of one element.
    External,
    /// The tag is an element beside those of the content.
    Internal(&'a str),
    /// Tag and content are two elements.
    Adjacent(&'a str, &'a str),
}

fn tagging(serde: &SerdeItem) -> Option<Tagging<'_>> {
    match (&serde.tag, &serde.content) {
        (Some(tag), None) => Some(Tagging::Internal(tag)),
        (Some(tag), Some(_)) => Some(Tagging::Adjacent(tag, &serde.content_name)),
        (None, None) => Some(Tagging::External),
        (None, Some(_)) => None,
    }
}

/// True if the codec supports every serde attribute of the enum.
pub(super) fn generated(item: &Item, variants: &[Variant]) -> bool {
    let tagging = tagging(&item.serde);
    let plain_keys = match tagging {
        Some(Tagging::Internal(tag)) => !tag.contains('\0'),
        Some(Tagging::Adjacent(tag, content)) => {
            !tag.contains('\0') && !content.contains('\0') && tag != content
        }
        Some(Tagging::External) => variants
            .iter()
            .all(|variant| matches!(variant.content, Content::Unit) || keys(variant)),
        None => false,
    };
    // A tag that is also a field of the content is stored twice.
    let apart = |field: &Field| match tagging {
        Some(Tagging::Internal(tag)) => {
            field.serde.name != tag && !field.serde.read.iter().any(|name| name == tag)
        }
        _ => true,
    };
    plain_keys
        && !variants.is_empty()
        && variants.iter().all(|variant| match &variant.content {
            Content::Unit => true,
            Content::Newtype(field) => plain(field),
            Content::Struct(fields) => fields
                .iter()
                .all(|field| named(field) && apart(field) && functions(field, variants)),
        })
}

/// True if the names of a variant can be BSON keys: none contains a NUL.
fn keys(variant: &Variant) -> bool {
    let serde = &variant.serde;
    let names = serde.read.iter().chain([&serde.name]);
    names.into_iter().all(|name| !name.contains('\0'))
}

/// True if no other field has the name of one with functions: the codec knows functions by the name of their field.
fn functions(field: &Field, variants: &[Variant]) -> bool {
    let mut all = variants.iter().flat_map(|variant| variant.content.fields());
    field.serde.with.is_none()
        || !all.any(|other| other.place != field.place && other.ident == field.ident)
}

pub(super) fn expand(place: &Place<'_>, item: &Item, variants: &[Variant]) -> TokenStream {
    let units = || {
        variants
            .iter()
            .all(|variant| matches!(variant.content, Content::Unit))
    };
    match tagging(&item.serde).unwrap_or(Tagging::External) {
        Tagging::External if units() => unit_enum(place, variants),
        tagging => told_apart(place, tagging, item, variants),
    }
}

fn told_apart(
    place: &Place<'_>,
    tagging: Tagging<'_>,
    item: &Item,
    variants: &[Variant],
) -> TokenStream {
    let Place {
        head,
        name,
        checked,
        serde_name,
        ..
    } = place;
    let writes = variants.iter().map(|variant| {
        let (ident, write) = (&variant.ident, write_variant(tagging, variant));
        match write {
            Some((pattern, write)) => quote!(#name::#ident #pattern => #write,),
            None => quote!(#name::#ident { .. } => ::core::result::Result::Err(__rt::Refused),),
        }
    });
    let names: Vec<&String> = variants
        .iter()
        .flat_map(|variant| &variant.serde.read)
        .collect();
    let (form, asked) = match tagging {
        Tagging::External => (quote!(Enum), quote!(ask())),
        Tagging::Internal(tag) => (quote!(Tagged), quote!(ask_tagged(#tag))),
        Tagging::Adjacent(..) => (quote!(Struct), quote!(ask())),
    };
    let names = match tagging {
        Tagging::Adjacent(tag, content) => quote!(#tag, #content),
        _ => quote!(#(#names),*),
    };
    let read = read_enum(tagging, item, name, variants);
    quote! {
        static #checked: __rt::Checked = __rt::Checked::new();
        #[automatically_derived]
        #head {
            fn write(&self, __key: &[u8], __to: &mut __rt::Writer) -> ::core::result::Result<(), __rt::Refused> {
                #checked.value(__key, __to, |__key, __to| match self { #(#writes)* }, &|__key, __to| (&__rt::put(self)).put_checked(__key, __to))
            }
            fn read(__kind: u8, __from: &mut __rt::Reader<'_>) -> ::core::result::Result<Self, __rt::Refused> {
                #checked.reads(|| (&__rt::Ask::<Self>::NEW).#asked, __rt::Form::#form, #serde_name, &[#names])?;
                #read
            }
        }
    }
}

fn parts(fields: &[Field]) -> Vec<Part> {
    fields
        .iter()
        .map(|field| part(&field.ident, &field.ty, &field.serde))
        .collect()
}

/// The fields of a struct variant as a pattern, and the code that writes them.
fn fields(all: &[Field]) -> (TokenStream, TokenStream) {
    let parts = parts(all);
    let written: Vec<&Part> = parts.iter().filter(|part| part.written.is_some()).collect();
    let places: Vec<_> = (0..written.len()).map(|n| format_ident!("__{n}")).collect();
    let members: Vec<_> = written.iter().map(|part| &part.member).collect();
    let puts = puts(&parts, |member| {
        let place = members.iter().position(|other| *other == member);
        let place = &places[place.unwrap_or_default()];
        quote!(#place)
    });
    (quote!({ #(#members: #places,)* .. }), puts)
}

/// The pattern of a variant and the code that writes it under `__key`; `None` for a variant that is not written.
fn write_variant(tagging: Tagging<'_>, variant: &Variant) -> Option<(TokenStream, TokenStream)> {
    if !variant.serde.written {
        return None;
    }
    let name = &variant.serde.name;
    let refused = quote!(return ::core::result::Result::Err(__rt::Refused));
    let (open, key, close) = match (tagging, &variant.content) {
        (Tagging::External, Content::Unit) => {
            return Some((quote!({ .. }), quote!(__to.text(__key, #name))));
        }
        (Tagging::Internal(tag), Content::Newtype(_)) => {
            let tag = bytes(tag);
            let put = quote!((&__put(__0)).under(__key, #tag, #name, __to));
            return Some((quote!({ 0: __0 }), quote!(__rt::done(#put))));
        }
        (Tagging::Internal(tag), _) => {
            let tag = bytes(tag);
            let open = quote!(let __open = __to.tagged(__key, #tag, #name)?;);
            (open, None, quote!(__to.close(__open)))
        }
        (Tagging::External, _) => {
            let open = quote!(let __outer = __to.document(__key););
            (open, Some(bytes(name)), quote!(__to.close(__outer)))
        }
        (Tagging::Adjacent(tag, content), _) => {
            let tag = bytes(tag);
            let open = quote!(let __outer = __to.tagged(__key, #tag, #name)?;);
            (open, Some(bytes(content)), quote!(__to.close(__outer)))
        }
    };
    let (pattern, write) = match (&variant.content, key) {
        (Content::Unit, _) => (quote!({ .. }), TokenStream::new()),
        (Content::Newtype(_), key) => (
            quote!({ 0: __0 }),
            quote!(if !__put(__0).put(#key, __to) { #refused; }),
        ),
        (Content::Struct(all), key) => {
            let (pattern, puts) = fields(all);
            let puts = quote!(if !(true #puts) { #refused; });
            let write = match key {
                Some(key) => quote! {
                    let __open = __to.document(#key);
                    #puts
                    __to.close(__open)?;
                },
                None => puts,
            };
            (pattern, write)
        }
    };
    Some((pattern, quote!({ #open #write #close })))
}

/// The code that reads the enum from `__kind` and `__from`.
fn read_enum(
    tagging: Tagging<'_>,
    item: &Item,
    name: &TokenStream,
    variants: &[Variant],
) -> TokenStream {
    let all = variants.iter();
    let variants = all.filter(|variant| !variant.serde.read.is_empty());
    let reader = EnumReader {
        item,
        name,
        variants: variants.collect(),
    };
    match tagging {
        Tagging::Internal(tag) => reader.read_internal(tag),
        Tagging::External => reader.read_external(),
        Tagging::Adjacent(tag, key) => reader.read_adjacent(tag, key),
    }
}

/// Writes the code that reads an enum, for each way to tag it.
struct EnumReader<'a> {
    item: &'a Item,
    name: &'a TokenStream,
    /// The variants that are read.
    variants: Vec<&'a Variant>,
}

impl EnumReader<'_> {
    fn read_unit(&self, variant: &Variant) -> TokenStream {
        let (name, ident) = (self.name, &variant.ident);
        quote!(::core::result::Result::Ok(#name::#ident {}))
    }

    /// The fields of a struct variant, from `__from`.
    fn read_fields(&self, ident: &Ident, fields: &[Field]) -> TokenStream {
        let name = self.name;
        let Reads { before, fields } = reads(&parts(fields), &unknown(&self.item.serde));
        quote!(#before ::core::result::Result::Ok(#name::#ident { #fields }))
    }

    /// The content of a newtype variant, which `fill` puts into `__value`.
    fn read_newtype(&self, ident: &Ident, field: &Field, fill: &TokenStream) -> TokenStream {
        let (name, ty) = (self.name, &field.ty);
        quote! {
            let mut __value = __Slot::<#ty>::new();
            __rt::done((&mut __value).#fill)?;
            ::core::result::Result::Ok(#name::#ident { 0: __value.present()? })
        }
    }

    /// The value of an element of `__outer`, for a variant that has one.
    fn read_content(&self, variant: &Variant) -> Option<TokenStream> {
        Some(match &variant.content {
            Content::Unit => return None,
            Content::Newtype(field) => {
                self.read_newtype(&variant.ident, field, &quote!(fill(__kind, &mut __outer)))
            }
            Content::Struct(fields) => {
                let inside = self.read_fields(&variant.ident, fields);
                quote!(let mut __from = __outer.document(__kind)?; #inside)
            }
        })
    }

    /// The variant that stands for every tag that no other variant has.
    fn find_other(&self) -> Option<&Variant> {
        let mut all = self.variants.iter();
        all.find(|variant| variant.serde.other).copied()
    }

    fn tagged_variants(&self) -> impl Iterator<Item = &Variant> {
        let all = self.variants.iter().copied();
        all.filter(|variant| !variant.serde.other)
    }

    /// The code for a tag that stands among the fields.
    fn read_internal(&self, tag: &str) -> TokenStream {
        let tag = bytes(tag);
        let value = |variant: &Variant| match &variant.content {
            Content::Unit => {
                let unit = self.read_unit(variant);
                quote!(__from.skip_all()?; #unit)
            }
            Content::Newtype(field) => {
                self.read_newtype(&variant.ident, field, &quote!(rest(__from)))
            }
            Content::Struct(fields) => self.read_fields(&variant.ident, fields),
        };
        let other = self.find_other().map_or_else(refused, value);
        let arms = self.tagged_variants().map(|variant| {
            let (texts, value) = (&variant.serde.read, value(variant));
            quote!(#(#texts)|* => { #value })
        });
        quote! {
            let mut __beside = __rt::Beside::new();
            let (__tag, mut __from) = __from.tagged(__kind, #tag, &mut __beside)?;
            match __tag { #(#arms)* _ => { #other } }
        }
    }

    /// The code for a tag that is the key of the content, or a text without content.
    fn read_external(&self) -> TokenStream {
        let refused = refused();
        let all = self.variants.iter();
        let units = all
            .clone()
            .filter(|variant| matches!(variant.content, Content::Unit));
        let units = units.map(|variant| {
            let (texts, unit) = (&variant.serde.read, self.read_unit(variant));
            quote!(#(#texts)|* => #unit,)
        });
        let filled = all.filter_map(|variant| {
            let keys = variant.serde.read.iter().map(|name| bytes(name));
            let content = self.read_content(variant)?;
            Some(quote!(#(#keys)|* => { #content }))
        });
        quote! {
            if let ::core::result::Result::Ok(__text) = __from.string(__kind) {
                return match __text { #(#units)* _ => #refused, };
            }
            let mut __outer = __from.document(__kind)?;
            let ::core::option::Option::Some((__key, __kind)) = __outer.key()? else { return #refused; };
            let __read = match __key { #(#filled)* _ => #refused, };
            if __outer.key()?.is_some() { return #refused; }
            __read
        }
    }

    /// The code for a tag and a content in two fields.
    fn read_adjacent(&self, tag: &str, key: &str) -> TokenStream {
        let (tag, key) = (bytes(tag), bytes(key));
        let refused = refused();
        let arms = self.tagged_variants().map(|variant| {
            let texts = &variant.serde.read;
            let (there, value) = match self.read_content(variant) {
                Some(content) => (quote!(::core::option::Option::Some(__kind)), content),
                None => (
                    quote!(::core::option::Option::None),
                    self.read_unit(variant),
                ),
            };
            quote!((#(#texts)|*, #there) => { #value })
        });
        let other = self.find_other().map(|variant| {
            let unit = self.read_unit(variant);
            quote!((_, ::core::option::Option::None) => #unit,)
        });
        let unknown = unknown(&self.item.serde);
        quote! {
            let mut __outer = __from.document(__kind)?;
            let ::core::option::Option::Some(__kind) = __outer.next_is(#tag) else { return #refused; };
            let __tag = __outer.string(__kind)?;
            let __read = match (__tag, __outer.next_is(#key)) { #(#arms)* #other _ => #refused, };
            let mut __rest = __outer;
            while let ::core::option::Option::Some((__key, __kind)) = __rest.key()? {
                let __read = match __key { #tag | #key => false, _ => #unknown, };
                if !__read { return #refused; }
            }
            __read
        }
    }
}

fn refused() -> TokenStream {
    quote!(::core::result::Result::Err(__rt::Refused))
}

/// The codec of an enum without contents and without a tag: it is stored as the name of its variant.
fn unit_enum(place: &Place<'_>, variants: &[Variant]) -> TokenStream {
    let Place {
        head,
        name,
        checked,
        serde_name,
        ..
    } = place;
    let writes = variants.iter().map(|variant| {
        let (ident, text) = (&variant.ident, &variant.serde.name);
        if variant.serde.written {
            quote!(#name::#ident { .. } => ::core::result::Result::Ok(#text),)
        } else {
            quote!(#name::#ident { .. } => ::core::result::Result::Err(__rt::Refused),)
        }
    });
    let read = variants
        .iter()
        .filter(|variant| !variant.serde.read.is_empty());
    let reads = read.clone().map(|variant| {
        let (ident, texts) = (&variant.ident, &variant.serde.read);
        quote!(#(#texts)|* => ::core::result::Result::Ok(#name::#ident {}),)
    });
    let names = read.flat_map(|variant| &variant.serde.read);
    quote! {
        static #checked: __rt::Checked = __rt::Checked::new();
        #[automatically_derived]
        #head {
            fn write(&self, __key: &[u8], __to: &mut __rt::Writer) -> ::core::result::Result<(), __rt::Refused> {
                let __text = match self { #(#writes)* }?;
                #checked.value(__key, __to, |__key, __to| __to.text(__key, __text), &|__key, __to| (&__rt::put(self)).put_checked(__key, __to))
            }
            fn read(__kind: u8, __from: &mut __rt::Reader<'_>) -> ::core::result::Result<Self, __rt::Refused> {
                #checked.reads(|| (&__rt::Ask::<Self>::NEW).ask(), __rt::Form::Enum, #serde_name, &[#(#names),*])?;
                match __from.string(__kind)? { #(#reads)* _ => ::core::result::Result::Err(__rt::Refused), }
            }
        }
    }
}
