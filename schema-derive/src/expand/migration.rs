//! The entry of a one-off migration in the registry.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};

use crate::syntax::{Migration, NeededIndex};

pub(crate) fn expand_migration(migration: &Migration) -> TokenStream {
    let Migration {
        ident, name, after, ..
    } = migration;
    let krate = migration
        .krate
        .as_ref()
        .map_or_else(|| quote!(::mongo_model), ToTokens::to_token_stream);
    let needs = migration.needs.iter().map(needed_index);
    let undo = match &migration.undo {
        Some(undo) => {
            quote!(::core::option::Option::Some(|__m| ::std::boxed::Box::pin(#undo(__m))))
        }
        None => quote!(::core::option::Option::None),
    };
    quote! {
        #[doc(hidden)]
        #[allow(deprecated, unused_qualifications)]
        const _: () = {
            use #krate::__private as __rt;
            __rt::inventory::submit! {
                __rt::MigrationStep {
                    name: #name,
                    after: &[#(#after),*],
                    needs: &[#(#needs),*],
                    package: (
                        ::core::option_env!("CARGO_PKG_NAME"),
                        ::core::option_env!("CARGO_PKG_VERSION"),
                    ),
                    run: |__m| ::std::boxed::Box::pin(#ident(__m)),
                    undo: #undo,
                }
            }
        };
    }
}

/// The index as data; a wrong model or field is an error of the compiler at its name.
fn needed_index(index: &NeededIndex) -> TokenStream {
    let model = &index.model;
    let fields = index.fields.iter().map(|field| quote!(__f #(.#field)*));
    quote! {
        __rt::NeededIndex {
            model: <#model as __rt::Model>::model_meta,
            fields: || {
                let __f = <<#model as __rt::Model>::FieldHandles as __rt::Handles>::VALUE;
                ::std::vec![#(__rt::stored_field(#fields)),*]
            },
        }
    }
}
