//! `queue(..)`: its row, and the trait of models that are queues.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};

use super::span::call_with_span;
use crate::ir::Ir;
use crate::names;

/// The number of attempts per job, unless the model declares another.
const MAX_ATTEMPTS: u32 = 5;

/// The row of the model's table.
pub(crate) fn expand_row(ir: &Ir<'_>) -> TokenStream {
    let Some(queue) = &ir.item.attrs.queue else {
        return quote!(::core::option::Option::None);
    };
    let max = queue.max_attempts.as_ref();
    let max = max.map_or(MAX_ATTEMPTS, |max| {
        u32::try_from(max.value).unwrap_or(u32::MAX)
    });
    let mut out = quote!(__rt::QueueRow::new(#max));
    if let Some(priority) = queue.priority.as_ref().map(names::unraw) {
        out.extend(quote!(.priority(#priority)));
    }
    if let Some(order) = queue.order.as_ref().map(names::unraw) {
        out.extend(quote!(.ordered(#order)));
    }
    quote!(::core::option::Option::Some(#out))
}

pub(crate) fn expand(ir: &Ir<'_>) -> TokenStream {
    if ir.item.attrs.queue.is_none() || !ir.is_model() || !ir.item.generics.params.is_empty() {
        return TokenStream::new();
    }
    let model = &ir.item.ident;
    quote! { impl __rt::Queued for #model {} }
}

/// Checks that each of the fields holds one value.
pub(crate) fn expand_checks(ir: &Ir<'_>) -> TokenStream {
    let Some(queue) = &ir.item.attrs.queue else {
        return TokenStream::new();
    };
    let (model, name) = (&ir.item.ident, ir.name());
    let asked = [("priority", &queue.priority), ("order", &queue.order)];
    let asked = asked.into_iter().filter_map(|(option, field)| {
        let field = field.as_ref()?;
        let n = ir.place_in_tables(ir.addressable(field)?)?;
        let written = names::unraw(field);
        let call = call_with_span(
            &field.to_token_stream(),
            &quote!(__rt::check::queue_field),
            quote!(&<#model as __rt::Value>::FIELDS[#n], #name, #option, #written),
        );
        Some(quote!(const _: () = #call;))
    });
    asked.collect()
}
