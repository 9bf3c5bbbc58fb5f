//! Tokens that several tables have.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use crate::ir::Row;

/// The type that writes the field's values, and its module if it is in one.
pub(crate) fn codec(row: &Row<'_>) -> (Option<TokenStream>, Ident) {
    if row.field.serde.with.is_some() {
        (Some(quote!(__field::)), row.marker.clone())
    } else {
        (None, format_ident!("__Plain"))
    }
}

/// Type parameters are stored values.
pub(crate) fn value_bounds(generics: &syn::Generics) -> syn::Generics {
    let mut generics = generics.clone();
    for param in generics.type_params_mut() {
        param.default = None;
        param.bounds.push(syn::parse_quote!(__rt::Value));
        param.bounds.push(syn::parse_quote!('static));
    }
    generics
}

/// The lints that do not apply to the hidden part of an expansion. The compiler silences most lints on the tokens of a derive;
/// these concern whole types, or tokens that keep the user's spans, such as names and types of fields.
pub(crate) fn allowed_lints() -> TokenStream {
    quote! {
        #[allow(
            // A marker has the name of its field.
            non_camel_case_types,
            // A method has the name of its field behind a verb: `is_duplicate__id`.
            non_snake_case,
            // Clippy judges names and signatures, and these follow from the user's names: a model `Page` with a function `page`.
            clippy::all,
            clippy::pedantic,
            // A crate uses some of the markers and handles.
            dead_code,
            // Markers and handles are public in a `const`, where no path leads to them.
            unreachable_pub,
            unnameable_types,
            missing_docs,
            // Markers and handles are empty, or hold nothing that could be shown.
            missing_debug_implementations,
            missing_copy_implementations,
            // The tables name every field, a deprecated one too.
            deprecated,
            // A model may be more visible than what it refers to and embeds.
            private_interfaces,
            private_bounds,
            // Types are repeated as the user wrote them.
            unused_qualifications
        )]
    }
}

/// A name that no user's field has.
pub(crate) fn private(name: &str) -> Ident {
    format_ident!("__{name}")
}

/// The tokens of items that use the driver: none where the runtime is built without it.
pub(crate) fn with_driver<T: Default>(tokens: impl FnOnce() -> T) -> T {
    match cfg!(feature = "driver") {
        true => tokens(),
        false => T::default(),
    }
}
