//! `events(..)`: its row, and the trait of models that emit events.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};

use super::span::call_with_span;
use crate::ir::Ir;
use crate::names;

/// The row of the model's table.
pub(crate) fn expand_row(ir: &Ir<'_>) -> TokenStream {
    let Some(events) = &ir.item.attrs.events else {
        return quote!(::core::option::Option::None);
    };
    let readers = events.readers.iter().map(names::unraw);
    let collection = ir.item.attrs.collection.as_ref();
    let log = format!("_dn.events.{}", collection.map_or("", |(_, name)| name));
    quote! {
        ::core::option::Option::Some(__rt::EventsRow { log: #log, readers: &[#(#readers),*] })
    }
}

pub(crate) fn expand(ir: &Ir<'_>) -> TokenStream {
    let Some(events) = &ir.item.attrs.events else {
        return TokenStream::new();
    };
    if !ir.is_model() || !ir.item.generics.params.is_empty() {
        return TokenStream::new();
    }
    let (model, event, name) = (&ir.item.ident, &events.event, ir.name());
    let event_name = names::unraw(event);
    let check = call_with_span(
        &event.to_token_stream(),
        &quote!(__rt::check::personal_in_events),
        quote!(__rt::Probe::<#event>::FIELDS, #event_name, #name),
    );
    quote! {
        impl __rt::Emits for #model {
            type Event = #event;
        }
        const _: () = #check;
    }
}
