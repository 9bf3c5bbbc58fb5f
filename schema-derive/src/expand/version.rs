//! `#[version]`: the trait by which the runtime reads and raises it, or that of models without a version.

use proc_macro2::TokenStream;
use quote::quote;

use crate::ir::{Ir, Role};

pub(crate) fn expand(ir: &Ir<'_>) -> TokenStream {
    if !ir.is_model() || !ir.item.generics.params.is_empty() {
        return TokenStream::new();
    }
    let model = &ir.item.ident;
    let version = ir.stored().find(|row| matches!(row.role, Role::Version));
    let Some(row) = version else {
        return quote! { impl __rt::Unversioned for #model {} };
    };
    let field = &row.field.ident;
    quote! {
        #[automatically_derived]
        impl __rt::Versioned for #model {
            fn version(&self) -> ::core::primitive::i64 { __rt::version_of(&self.#field) }
            fn set_version(&mut self, version: ::core::primitive::i64) -> ::core::primitive::bool { __rt::put_version(&mut self.#field, version) }
        }
    }
}
