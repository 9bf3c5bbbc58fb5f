//! `schema_version` and `migrate`: the row with the version of the model.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;

use crate::ir::Ir;

/// The row, for the model's table and for the codec.
pub(crate) fn expand_row(ir: &Ir<'_>) -> TokenStream {
    let Some(version) = &ir.item.attrs.schema_version else {
        return quote!(::core::option::Option::None);
    };
    let version = i32::try_from(version.value).unwrap_or(i32::MAX);
    let migrate = match &ir.item.attrs.migrate {
        Some(path) if !ir.failed => {
            // The compiler reports a wrong function at its name.
            let [old, version] =
                ["__old", "__version"].map(|name| Ident::new(name, Span::mixed_site()));
            let call =
                quote_spanned!(path.span()=> __rt::Migrates::migrated(#path(#old, #version)));
            quote!(::core::option::Option::Some(|#old, #version| #call))
        }
        _ => quote!(::core::option::Option::None),
    };
    let unversioned = match &ir.item.attrs.unversioned {
        Some(bound) => {
            let unversioned = i32::try_from(bound.value).unwrap_or(i32::MAX);
            quote!(::core::option::Option::Some(#unversioned))
        }
        None => quote!(::core::option::Option::None),
    };
    let row =
        quote!(__rt::SchemaRow { version: #version, migrate: #migrate, unversioned: #unversioned });
    quote!(::core::option::Option::Some(#row))
}
