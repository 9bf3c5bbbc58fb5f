//! `bucket(..)`: its row, the model's impls for the runtime, and its methods.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};

use super::span::call_with_span;
use super::tenant;
use super::tokens::with_driver;
use crate::diag;
use crate::ir::{BucketParts, Fixed, Ir, Row};
use crate::names;
use crate::types;

/// The row of the model's table.
pub(crate) fn expand_row(ir: &Ir<'_>) -> TokenStream {
    let Some(parts) = ir.bucket_parts() else {
        return quote!(::core::option::Option::None);
    };
    let [items, parent, count] = [parts.items, parts.parent, parts.count].map(Row::rust);
    quote!(::core::option::Option::Some(__rt::BucketRow::new(#items, #parent, #count, "id")))
}

/// True if the bucket maintains the field: its items, its parent or its count.
pub(crate) fn is_maintained(ir: &Ir<'_>, row: &Row<'_>) -> bool {
    ir.bucket_parts().is_some_and(|parts| parts.maintains(row))
}

pub(crate) fn expand(ir: &Ir<'_>) -> TokenStream {
    if !ir.is_model() || !ir.item.generics.params.is_empty() {
        return TokenStream::new();
    }
    let model = &ir.item.ident;
    let whole = quote! { impl __rt::Insertable for #model {} };
    let Some(parts) = ir.bucket_parts() else {
        return whole;
    };
    // A bucket with mistakes gets `Insertable` as well, so that its absence causes no second error.
    let mut out = if ir.failed { whole } else { TokenStream::new() };
    out.extend(impl_bucketed(ir, &parts));
    out.extend(with_driver(|| expand_methods(ir, &parts)));
    out
}

fn impl_bucketed(ir: &Ir<'_>, parts: &BucketParts<'_>) -> TokenStream {
    let (model, krate) = (&ir.item.ident, ir.krate());
    let (target, element) = parent_and_item(parts);
    let marker = &parts.items.marker;
    let (items, id, parent, count) = (
        &parts.items.field.ident,
        &parts.id.field.ident,
        &parts.parent.field.ident,
        &parts.count.field.ident,
    );
    let (open, into_items) = if ir.failed {
        (
            quote!(::core::unreachable!()),
            quote!(::core::unreachable!()),
        )
    } else {
        let own = [parts.items, parts.id, parts.parent, parts.count];
        let others = ir.fields().filter(|row| own.iter().all(|own| !own.is(row)));
        let others = others.map(|row| {
            let (name, ty) = (&row.field.ident, &row.field.ty);
            // A push stores the tenant of its call.
            if row.fixed_site(Fixed::Tenant).is_some() {
                return quote!(#name: <#ty as __rt::TenantId>::UNKNOWN);
            }
            let begins = call_with_span(
                &ty.to_token_stream(),
                &quote!(<#ty as __rt::InNewBucket>::begin),
                TokenStream::new(),
            );
            quote!(#name: #begins)
        });
        let open = quote! {
            #model {
                #id: #krate::BucketId::new(::core::clone::Clone::clone(parent), sequence),
                #parent: ::core::clone::Clone::clone(parent),
                #count: ::core::default::Default::default(),
                #items: ::core::default::Default::default(),
                #(#others,)*
            }
        };
        (open, quote!(self.#items))
    };
    let slot = quote!({ __rt::slot(<#element as __rt::Names>::NAMES, "id") });
    quote! {
        #[automatically_derived]
        impl __rt::Bucketed for #model {
            type Parent = #target;
            type Item = #element;
            type Items = __rt::Top<#model, __field::#marker>;
            type ItemId = <#element as __rt::HasSeg<#slot>>::Handle<<Self as __rt::Bucketed>::Items>;
            #[allow(unused_variables)]
            fn open(parent: &<#target as __rt::Model>::DocumentId, sequence: ::core::primitive::i64) -> Self { #open }
            fn into_items(self) -> ::std::vec::Vec<#element> { #into_items }
        }
    }
}

/// The parent's model, and the type of the items.
fn parent_and_item<'a>(parts: &BucketParts<'a>) -> (Option<&'a syn::Path>, Option<&'a syn::Type>) {
    let element = types::array_element(&parts.items.field.ty);
    (parts.parent.target(), element)
}

fn expand_methods(ir: &Ir<'_>, parts: &BucketParts<'_>) -> TokenStream {
    let (model, vis, krate) = (&ir.item.ident, &ir.item.vis, ir.krate());
    let (target, element) = parent_and_item(parts);
    let name = ir.name();
    let of = target
        .and_then(|target| target.segments.last())
        .map(|segment| names::unraw(&segment.ident))
        .unwrap_or_default();
    let items = parts.items.rust();
    let id = quote!(impl #krate::field::IntoArg<<#target as __rt::Model>::DocumentId>);
    let push = format!(
        "Stores an item in the newest of the `{of}`'s buckets, or opens the next one where that is full; an item that one of them \
         holds already (by its `id`) is not stored again, whoever sends it and when.\n\n\
         Sends one `aggregate`, which looks for the newest bucket and the item by indexes, and one `update`, or `insert` where a \
         bucket is opened; both again where another writer was faster or an answer was lost. Each write is atomic.\n\n\
         # Errors\nThose of `insert` and `update`; `Error::Unsettled` where others were faster 1,000 times."
    );
    let push_many = format!(
        "Stores items in their order, each once as by `push`: fills the newest of the `{of}`'s buckets, and opens as many more as it \
         takes.\n\n\
         Sends, per 1,000 items, one `aggregate`, one `update` where the newest bucket has room, and one `insert` of all that are \
         opened. Each bucket is written atomically, the whole is not: where it fails half way, the first items are stored, and the \
         same call again stores the rest.\n\n\
         # Errors\nThose of `push`; once something is stored, inside `Error::PushedInPart`."
    );
    let page = format!(
        "The bucket of the `{of}` with this number, counted from 0; `None` where it has not been opened. Sends one `find` by `_id`. \
         A page from which items were removed has fewer of them, and none takes its number."
    );
    let iterate = format!(
        "The `{items}` of all buckets of the `{of}`, the one that was stored first first; `.newest_first()` turns that round. \
         Sends one `find` by a range of the `_id`, and `getMore` as the result is read. `.await` gives a `Vec`, `.stream()` a \
         stream; either is no snapshot: what is stored meanwhile may be in it."
    );
    let count = format!(
        "How many `{items}` the buckets of the `{of}` hold: the sum of their `count`. Sends one `aggregate`, which reads one \
         `{name}` per bucket by a range of the `_id`."
    );
    let remove = format!(
        "Removes the item with this `id` from the bucket of the `{of}` that holds it. Sends one `find` by index and one `update` \
         (`$pull`, and `$inc` of `count`), atomic; none where it is nowhere.\n\n\
         A bucket that has been full takes no more items, and an emptied one stays. An item that is removed is gone: who sends it \
         again stores it again.\n\n\
         # Errors\nThose of `update`."
    );
    let [
        (reached, push_made),
        (_, push_many_made),
        (_, page_made),
        (_, iterate_made),
        (_, count_items_made),
        (_, remove_item_made),
    ] = [
        quote!(#krate::bucket::push(db, parent, item)),
        quote!(#krate::bucket::push_many(db, parent, items)),
        quote!(#krate::bucket::page(db, parent, number)),
        quote!(#krate::bucket::iterate(db, parent)),
        quote!(#krate::bucket::count_items(db, parent)),
        quote!(#krate::bucket::remove_item(db, parent, id)),
    ]
    .map(|make| tenant::reach(ir, &quote!(db), &make));
    quote! {
        impl #model {
        #[doc = #push]
        #vis fn push<'a>(db: &'a #reached, parent: #id, item: impl ::core::borrow::Borrow<#element>) -> #krate::bucket::Push<'a, #model> {
            #push_made
        }
        #[doc = #push_many]
        #vis fn push_many<'a>(db: &'a #reached, parent: #id, items: impl ::core::iter::IntoIterator<Item = impl ::core::borrow::Borrow<#element>>) -> #krate::bucket::PushMany<'a, #model> {
            #push_many_made
        }
        #[doc = #page]
        #vis fn page(db: &#reached, parent: #id, number: ::core::primitive::i64) -> #krate::crud::FindOne<'_, #model> {
            #page_made
        }
        #[doc = #iterate]
        #vis fn iterate(db: &#reached, parent: #id) -> #krate::bucket::Iterate<'_, #model> {
            #iterate_made
        }
        #[doc = #count]
        #vis fn count_items(db: &#reached, parent: #id) -> #krate::bucket::CountItems<'_, #model> {
            #count_items_made
        }
        #[doc = #remove]
        #vis fn remove_item<'a>(db: &'a #reached, parent: #id, id: &<<#model as __rt::Bucketed>::ItemId as __rt::OneField>::Value) -> #krate::bucket::RemoveItem<'a, #model> {
            #remove_item_made
        }
        }
    }
}

/// Checks that need the types: the count is an `i64`, and the items have an `id` and hold no derived data.
pub(crate) fn expand_checks(ir: &Ir<'_>) -> TokenStream {
    let Some(parts) = ir.bucket_parts() else {
        return TokenStream::new();
    };
    let model = &ir.item.ident;
    let (ty, owner) = (&parts.count.field.ty, parts.count.owner());
    let written = diag::type_text(ty);
    let count = call_with_span(
        &ty.to_token_stream(),
        &quote!(__rt::check::bucket_count),
        quote!(
            __rt::ProbeSame::<#ty, ::core::primitive::i64>::IS_SAME || !__rt::Probe::<#ty>::IS_VALUE,
            #owner, #written
        ),
    );
    let Some(n) = ir.place_in_tables(parts.items) else {
        return TokenStream::new();
    };
    let (ty, owner) = (&parts.items.field.ty, parts.items.owner());
    let inside = diag::type_text(types::leaf(ty));
    let items = call_with_span(
        &ty.to_token_stream(),
        &quote!(__rt::check::bucket_items),
        quote!(&<#model as __rt::Value>::FIELDS[#n], #owner, #inside),
    );
    let tenant = tenant::bucket(ir, &parts);
    quote!(const _: () = #count; const _: () = #items; #tenant)
}

/// The kind of write that the field allows; `otherwise` is the kind without the bucket.
pub(crate) fn write_kind(ir: &Ir<'_>, row: &Row<'_>, otherwise: TokenStream) -> TokenStream {
    if !is_maintained(ir, row) {
        return otherwise;
    }
    let model = &ir.item.ident;
    quote!(__rt::OfBucket<#model, #otherwise>)
}
