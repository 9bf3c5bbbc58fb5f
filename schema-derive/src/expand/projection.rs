//! A projection: the table of the fields that it reads, and the checks of these fields.

use proc_macro2::{Group, Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote, quote_spanned};
use syn::{Lifetime, Path, Type};

use super::codec;
use super::span::call_with_span;
use crate::diag;
use crate::names;
use crate::syntax::{ProjectedField, Projection};

/// The whole expansion. If `failed`, it has no checks; if the source is not known, it is a projection of every model, so that
/// code that reads with it gets no further errors.
pub(crate) fn expand_projection(item: &Projection, failed: bool) -> TokenStream {
    let krate = item
        .krate
        .as_ref()
        .map_or_else(|| quote!(::mongo_model), ToTokens::to_token_stream);
    let ident = &item.ident;
    let rows = item.fields.iter().map(expand_row);
    let codec = codec::projection(item);
    let read_own = codec.as_ref().map(|_| {
        quote! {
            const READ: ::core::option::Option<__rt::Read<Self>> = ::core::option::Option::Some(<Self as __rt::Element>::read);
        }
    });
    let checks = match &item.of {
        Some(of) if !failed => expand_checks(item, of),
        _ => TokenStream::new(),
    };
    let rows = quote!(&[#(#rows),*]);
    if item.lifetime().is_some() {
        let lends = lends(item, &rows, codec.is_some());
        return within(&krate, quote!(#lends #codec #checks));
    }
    // A projection reads by its own table of rows, whatever its source is.
    let reads = quote! {
        const ROWS: ::core::option::Option<&'static [__rt::ProjectionRow]> = ::core::option::Option::Some(<Self as __rt::Projection>::ROWS);
        #read_own
    };
    let of = match &item.of {
        Some(of) => quote! {
            impl __rt::ProjectionOf<#of> for #ident {}
            #[automatically_derived]
            impl __rt::Projected<#of> for #ident {
                #reads
                const SHAPE: ::core::option::Option<&'static __rt::Shape> = __rt::Probe::<#of>::SHAPE;
            }
        },
        None => quote! {
            impl<__S> __rt::ProjectionOf<__S> for #ident {}
            #[automatically_derived]
            impl<__M> __rt::Projected<__M> for #ident { #reads }
        },
    };
    let fallback = item
        .fallback
        .as_ref()
        .map(|holder| quote! { impl __rt::FallsBack<#holder> for #ident {} });
    let projection = quote!(impl __rt::Projection for #ident { const ROWS: &'static [__rt::ProjectionRow] = #rows; });
    within(&krate, quote!(#projection #of #fallback #codec #checks))
}

/// Puts the items into a scope of their own.
fn within(krate: &TokenStream, items: TokenStream) -> TokenStream {
    // See [`tokens::allowed_lints`]; a projection has no handles.
    quote! {
        #[doc(hidden)]
        #[allow(deprecated, private_interfaces, private_bounds, unused_qualifications)]
        const _: () = {
            use #krate::__private as __rt;
            use __rt::{Fallback as _, codec::*};
            #items
        };
    }
}

/// A projection that borrows: it is read where the document lies.
fn lends(item: &Projection, rows: &TokenStream, codec: bool) -> TokenStream {
    let ident = &item.ident;
    let (head, shape) = match &item.of {
        Some(of) => (
            quote!(impl __rt::Borrowed<#of>),
            quote!(__rt::Probe::<#of>::SHAPE),
        ),
        None => (
            quote!(impl<__M> __rt::Borrowed<__M>),
            quote!(::core::option::Option::None),
        ),
    };
    let read = if codec {
        quote!(::core::option::Option::Some(<#ident<'_> as __rt::Borrows<'_>>::read))
    } else {
        quote!(::core::option::Option::None)
    };
    quote! {
        #[automatically_derived]
        #head for #ident<'_> {
            type Of<'__d> = #ident<'__d>;
            const ROWS: &'static [__rt::ProjectionRow] = #rows;
            const SHAPE: ::core::option::Option<&'static __rt::Shape> = #shape;
            fn read(__raw: &__rt::RawDocument) -> ::core::result::Result<#ident<'_>, __rt::CodecError> {
                __rt::decode_part(__raw, #read)
            }
        }
    }
}

fn expand_row(field: &ProjectedField) -> TokenStream {
    let (name, ty) = (&field.serde.name, &field.ty);
    let inside = if field.nested {
        quote!(__rt::Probe::<#ty>::READS)
    } else {
        quote!(&[])
    };
    let aliases = field.serde.read_also();
    quote!(__rt::ProjectionRow { name: #name, aliases: &[#(#aliases),*], inside: #inside })
}

fn expand_checks(item: &Projection, of: &Path) -> TokenStream {
    let (name, source) = (names::unraw(&item.ident), names::path_name(of));
    let mut out = TokenStream::new();
    if let Some(holder) = &item.fallback {
        let holder_name = names::path_name(holder);
        let call = call_with_span(
            &holder.to_token_stream(),
            &quote!(__rt::check::falls_back),
            // Skip sources without our derives: another check already reports them.
            quote!(__rt::Probe::<#of>::IS_MODEL || __rt::Probe::<#of>::FIELDS.is_empty(), __rt::Probe::<#holder>::FIELDS, #name, #source, #holder_name),
        );
        out.extend(quote!(const _: () = #call;));
    }
    for field in &item.fields {
        out.extend(reads(item, of, field));
        out.extend(stored(of, &source, field));
        if let Some(holder) = &item.fallback {
            out.extend(copied(of, &source, holder, field));
        }
    }
    out
}

/// Checks that the source has the field, with this type.
fn reads(item: &Projection, of: &Path, field: &ProjectedField) -> TokenStream {
    let ident = &field.ident;
    let ty = &everlasting(&field.ty, item.lifetime());
    // The span is the type, so that the compiler does not point at the derive.
    let span = first_span(ty);
    let question = match (field.nested, item.fallback.is_some()) {
        (false, false) => quote_spanned!(span=> __read_as::<#ty>),
        (true, false) => quote_spanned!(span=> __nested_as::<#ty>),
        (false, true) => quote_spanned!(span=> __viewed_as::<#ty>),
        (true, true) => quote_spanned!(span=> __nested_view_as::<#ty, _>),
    };
    let handle = quote_spanned!(first_span(of)=> <<#of as __rt::Projectable>::Handles as __rt::Handles>::VALUE);
    quote_spanned!(span=> const _: () = #handle.#ident.#question();)
}

/// Checks that the field is read as it is stored: under the same name, in the same form.
fn stored(of: &Path, source: &str, field: &ProjectedField) -> TokenStream {
    let (rust, stored, owner) = (names::unraw(&field.ident), &field.serde.name, &field.owner);
    let rows = quote!(__rt::Probe::<#of>::FIELDS);
    let place = field
        .serde
        .renamed_tokens
        .clone()
        .unwrap_or_else(|| field.ident.to_token_stream());
    let aliases = field.serde.read_also();
    let name = call_with_span(
        &place,
        &quote!(__rt::check::projected),
        quote!(#rows, #rust, #stored, &[#(#aliases),*], #owner, #source),
    );
    // A nested field has its own question about its type.
    let with = (!field.nested).then(|| {
        let with = field.serde.deserialize_with.is_some();
        let place = field.serde.with.clone();
        let place = place.unwrap_or_else(|| field.ident.to_token_stream());
        let call = call_with_span(
            &place,
            &quote!(__rt::check::projected_with),
            quote!(#rows, #rust, #with, #owner, #source),
        );
        quote!(const _: () = #call;)
    });
    quote!(const _: () = #name; #with)
}

/// Checks that the type that stands in for a source has the field, or that the field may be absent.
fn copied(of: &Path, source: &str, holder: &Path, field: &ProjectedField) -> TokenStream {
    let (rust, ty, owner) = (names::unraw(&field.ident), &field.ty, &field.owner);
    let (holder_name, written) = (names::path_name(holder), diag::type_text(ty));
    let call = call_with_span(
        &ty.to_token_stream(),
        &quote!(__rt::check::fallback),
        quote!(
            __rt::Probe::<#of>::FIELDS, __rt::Probe::<#holder>::FIELDS, #rust, __rt::Probe::<#ty>::IS_OPTION,
            [#owner, #source, #holder_name, #written]
        ),
    );
    quote!(const _: () = #call;)
}

/// The type with `'static` in place of the projection's lifetime, where no lifetime is in scope.
fn everlasting(ty: &Type, lent: Option<&Lifetime>) -> TokenStream {
    fn within(tokens: TokenStream, name: &Ident) -> TokenStream {
        let mut out = TokenStream::new();
        let mut tokens = tokens.into_iter();
        while let Some(token) = tokens.next() {
            let token = match token {
                TokenTree::Punct(punct) if punct.as_char() == '\'' => {
                    out.extend([TokenTree::Punct(punct)]);
                    match tokens.next() {
                        Some(TokenTree::Ident(found)) if found == *name => {
                            TokenTree::Ident(Ident::new("static", found.span()))
                        }
                        Some(other) => other,
                        None => break,
                    }
                }
                TokenTree::Group(group) => {
                    let mut inside = Group::new(group.delimiter(), within(group.stream(), name));
                    inside.set_span(group.span());
                    TokenTree::Group(inside)
                }
                other => other,
            };
            out.extend([token]);
        }
        out
    }
    match lent {
        Some(lent) => within(ty.to_token_stream(), &lent.ident),
        None => ty.to_token_stream(),
    }
}

fn first_span(tokens: &impl ToTokens) -> Span {
    let mut tokens = tokens.to_token_stream().into_iter();
    tokens
        .next()
        .map_or_else(Span::call_site, |token| token.span())
}
