//! A reference to one of several models: the enum of the documents that it loads, and its queries.

use crate::ir::{Ir, Row};
use crate::names;
use crate::syntax::Body;
use proc_macro2::TokenStream;
use quote::quote;

/// The enum, beside the user's, and the impls, which need no name.
pub(crate) fn expand(ir: &Ir<'_>) -> Option<(TokenStream, TokenStream)> {
    let (Body::Enum(variants), Some(_)) = (&ir.item.body, ir.polymorphic()) else {
        return None;
    };
    let (ident, vis, krate) = (&ir.item.ident, &ir.item.vis, ir.krate());
    let (loaded, handles) = (names::loaded(ident), names::handles(ident));
    let name = names::unraw(ident);
    let names: Vec<_> = variants.iter().map(|variant| &variant.ident).collect();
    let targets: Vec<_> = ir.stored().filter_map(Row::target).collect();
    let docs = targets
        .iter()
        .map(|target| format!("The `{}`.", quote!(#target)));
    let doc = format!("What a [`{name}`] leads to, loaded.");
    let definition = quote! {
        #[doc = #doc]
        #[allow(clippy::large_enum_variant)]
        #vis enum #loaded { #(#[doc = #docs] #names(#targets),)* }
    };
    let tags = variants.iter().map(|variant| &variant.serde.name);
    let arms = targets.iter().enumerate().map(|(n, target)| {
        let variant = names[n];
        // The last target needs no number: no other is left.
        let pattern = if n + 1 == targets.len() {
            quote!(_)
        } else {
            quote!(#n)
        };
        quote!(#pattern => <#target as __rt::Projected<#target>>::read(raw).map(#loaded::#variant),)
    });
    let is_doc = format!(
        "It is this `{name}`: the tag and the id are compared, and the generated index on the id serves it."
    );
    // The bounds are for any lifetime: a target that is no model, or has no `Debug`, is no error here.
    let impls = quote! {
        impl ::core::fmt::Debug for #loaded where #(for<'__any> #targets: ::core::fmt::Debug,)* {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                match self { #(#loaded::#names(document) => ::core::fmt::Debug::fmt(document, f),)* }
            }
        }
        #[automatically_derived]
        impl #krate::load::Polymorphic for #ident where #(for<'__any> #targets: __rt::Model,)* {
            type Loaded = #loaded;
            const VARIANTS: &'static [&'static str] = &[#(#tags),*];
            fn read(variant: usize, raw: &__rt::RawDocument) -> ::core::result::Result<#loaded, __rt::CodecError> {
                match variant { #(#arms)* }
            }
        }
        impl<__P: __rt::Path> #handles<__P> where #(for<'__any> #targets: __rt::Model,)* {
            #[doc = #is_doc]
            #vis fn is(self, reference: impl #krate::field::IntoArg<#ident>) -> #krate::Filter<__P::Root, __rt::Indexed> where __P: #krate::load::Together, __P::Root: __rt::Model {
                #krate::load::is::<__P, #ident>(&reference.into_arg())
            }
        }
    };
    Some((definition, impls))
}
