//! `embed(.., overflow = Extra)`: the methods that know both places of an item.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};

use super::span::call_with_span;
use super::tenant;
use super::tokens::with_driver;
use crate::diag;
use crate::ir::{Ir, OverflowParts, Row};
use crate::names;
use crate::types;

pub(crate) fn expand(ir: &Ir<'_>) -> TokenStream {
    if !ir.is_model() || !ir.item.generics.params.is_empty() {
        return TokenStream::new();
    }
    let model = &ir.item.ident;
    let whole = quote! { impl __rt::Replaceable for #model {} };
    match ir.overflow_parts() {
        None => whole,
        Some(parts) => {
            let methods = with_driver(|| expand_methods(ir, &parts));
            let whole = ir.failed.then_some(whole);
            quote!(#whole #methods)
        }
    }
}

fn expand_methods(ir: &Ir<'_>, parts: &OverflowParts<'_>) -> TokenStream {
    let (model, vis, krate) = (&ir.item.ident, &parts.items.field.vis, ir.krate());
    let (extra, element) = (parts.extra, types::array_element(&parts.items.field.ty));
    let (items, flag, field) = (
        &parts.items.field.ident,
        &parts.flag.field.ident,
        parts.items.rust(),
    );
    let (push, remove) = (
        names::element_method("push", items),
        names::element_method("remove", items),
    );
    let all = names::relation_method("all", items);
    let (name, of) = (ir.name(), diag::path_text(extra));
    let max = parts.items.embed();
    let max = max
        .and_then(|embed| embed.max.as_ref())
        .map_or(0, |max| max.value);
    let push_doc = format!(
        "Stores an item in `{field}` of the `{name}` with this `_id`, or, where that has its {max}, in a bucket of it (`{of}`), whose \
         first is opened after the document says that there are extras. An item that either holds already (by its `id`) is not \
         stored again.\n\n\
         Sends one `update`; where the document takes no more, one `find`, once per document one `update` of its flag, and what the \
         push into a bucket sends. Each write is atomic.\n\n\
         # Errors\n`Error::NotFound`, those of `update`, and those of the push."
    );
    let remove_doc = format!(
        "Removes the item with this `id` from the `{name}` with this `_id`, or from the bucket of it that holds it. A document that \
         has overflown takes no more items: what comes goes to buckets.\n\n\
         Sends one `update`; where the document does not hold it, one `find` and one `update` more.\n\n\
         # Errors\nThose of `update`."
    );
    let all_doc = format!(
        "The {field} of a `{name}` that was read, and behind them those in its buckets. Sends nothing where it says that it has no \
         extras, else one `find`, and `getMore` as the result is read. `.await` gives a `Vec`, `.stream()` a stream."
    );
    let id = quote!(impl #krate::field::IntoArg<<#model as __rt::Model>::DocumentId>);
    let makes = if ir.failed {
        [(); 3].map(|()| quote!(::core::unreachable!()))
    } else {
        [
            quote!(#krate::bucket::push_over(db, #field, id, ::core::borrow::Borrow::borrow(&item))),
            quote!(#krate::bucket::remove_over(db, #field, id, item)),
            quote!(#krate::bucket::all_over(db, document, &document.#items, &document.#flag)),
        ]
    };
    let [(reached, push_body), (_, remove_body), (_, all_body)] =
        makes.map(|make| tenant::reach(ir, &quote!(db), &make));
    // A separate check reports once that this bound is not met; `for<'__any>` keeps each method from reporting it again.
    let bound = quote!(for<'__any> #extra: __rt::Bucketed<Parent = #model, Item = #element>);
    quote! {
        #[allow(unused_variables)]
        impl #model where #bound {
        #[doc = #push_doc]
        #vis fn #push<'a>(db: &'a #reached, id: #id, item: impl ::core::borrow::Borrow<#element>) -> #krate::bucket::OverflowPush<'a, #model, #extra> {
            #push_body
        }
        #[doc = #remove_doc]
        #vis fn #remove<'a>(db: &'a #reached, id: #id, item: &<<#extra as __rt::Bucketed>::ItemId as __rt::OneField>::Value) -> #krate::bucket::OverflowRemove<'a, #model, #extra> {
            #remove_body
        }
        #[doc = #all_doc]
        #vis fn #all<'a>(db: &'a #reached, document: &#model) -> #krate::bucket::AllItems<'a, #extra>
        where for<'__any> #element: ::core::clone::Clone {
            #all_body
        }
        }
    }
}

/// Checks that need the other model's type: it is a bucket of this model, with the same items.
pub(crate) fn expand_checks(ir: &Ir<'_>) -> TokenStream {
    let Some(parts) = ir.overflow_parts() else {
        return TokenStream::new();
    };
    let (model, name, owner) = (&ir.item.ident, ir.name(), parts.items.owner());
    let (extra, flag) = (parts.extra, &parts.flag.field.ty);
    let element = types::array_element(&parts.items.field.ty);
    let (written, item) = (
        diag::path_text(extra),
        element.map(diag::type_text).unwrap_or_default(),
    );
    let call = call_with_span(
        &extra.to_token_stream(),
        &quote!(__rt::check::overflow),
        quote!(
            [
                __rt::ProbeBucket::<#extra, #model, #element>::IS_OF,
                __rt::ProbeBucket::<#extra, #model, #element>::HOLDS,
                __rt::ProbeSame::<#flag, ::core::primitive::bool>::IS_SAME
            ],
            #owner, #written, #name, #item
        ),
    );
    quote!(const _: () = #call;)
}

/// The kind of write that the field allows; `otherwise` is the kind without an overflow.
pub(crate) fn write_kind(ir: &Ir<'_>, row: &Row<'_>, otherwise: TokenStream) -> TokenStream {
    if !is_maintained(ir, row) {
        return otherwise;
    }
    let model = &ir.item.ident;
    quote!(__rt::Overflowing<#model>)
}

/// True if the field is the array that overflows, or the flag that says so.
pub(crate) fn is_maintained(ir: &Ir<'_>, row: &Row<'_>) -> bool {
    ir.overflow_parts()
        .is_some_and(|parts| parts.maintains(row))
}
