//! `tree(..)`: the trait of models whose documents form a tree, and the row of their ancestors.

use proc_macro2::TokenStream;
use quote::quote;

use crate::ir::{Ir, Row};

pub(crate) fn expand(ir: &Ir<'_>) -> TokenStream {
    let Some(parts) = ir.tree_parts() else {
        return TokenStream::new();
    };
    if !ir.is_model() || ir.failed {
        return TokenStream::new();
    }
    let model = &ir.item.ident;
    let (above, path) = (&parts.above.field.ident, &parts.path.field.ident);
    quote! {
        #[automatically_derived]
        impl __rt::Tree for #model {
            fn parent_id(&self) -> ::core::option::Option<&Self::DocumentId> { self.#above.as_ref() }
            fn ancestor_ids(&self) -> &[Self::DocumentId] { &self.#path }
        }
    }
}

/// The stored name of the reference to the parent, for the row of the ancestors.
pub(crate) fn expand_row(ir: &Ir<'_>, row: &Row<'_>) -> Option<TokenStream> {
    let parts = ir.tree_parts().filter(|parts| parts.path.is(row))?;
    let above = parts.above.stored();
    Some(quote!(#above))
}
