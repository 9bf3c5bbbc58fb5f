//! From the checked item to tokens. Makes no errors: every table it writes is valid by construction.

mod access;
mod bucket;
mod checks;
mod children;
mod codec;
mod copies;
mod derived;
mod duplicates;
mod entry;
mod handles;
mod index;
mod lookup;
mod model;
mod new;
mod overflow;
mod polymorphic;
mod projection;
mod queue;
mod relation;
mod schema;
mod soft_delete;
mod span;
mod tokens;
mod unique;
mod unknown_fields;
mod value;
mod variants;
mod version;

use proc_macro2::TokenStream;
use quote::quote;

pub(crate) use self::projection::projection;
use crate::ir::Ir;

/// The whole expansion.
pub(crate) fn item(ir: &Ir<'_>) -> TokenStream {
    let rt = &ir.rt;
    let entries: TokenStream = ir
        .entries()
        .iter()
        .map(|(row, entry)| entry::definition(ir, row, entry))
        .collect();
    let entry_impls: TokenStream = ir
        .entries()
        .iter()
        .map(|(_, entry)| entry::impls(ir, entry))
        .collect();
    let (new, from_new) = new::item(ir).unzip();
    let (loaded, refers) = polymorphic::item(ir).unwrap_or_default();
    let (tables, finders) = tables(ir);
    let methods = methods(ir);
    let checks = if ir.failed {
        TokenStream::new()
    } else {
        checks::item(ir)
    };
    let items = derived::mark(quote! {
        #tables
        #from_new
        #methods
        #entry_impls
        #refers
        #finders
        #checks
    });
    quote! {
        #entries
        #loaded
        #new
        #[doc(hidden)]
        #[allow(non_camel_case_types, non_snake_case, non_upper_case_globals, dead_code, deprecated, private_interfaces, private_bounds, unreachable_patterns, unreachable_pub, missing_debug_implementations, missing_docs, unused_imports, unused_qualifications, non_local_definitions, clippy::all, clippy::pedantic)]
        const _: () = {
            use #rt as __rt;
            use __rt::{Fallback as _, codec::*};
            #items
        };
    }
}

/// The tables and the traits that describe the item, and the finders of the variants of a model that is an enum.
fn tables(ir: &Ir<'_>) -> (TokenStream, Option<TokenStream>) {
    let markers = handles::markers(ir);
    let kinds = variants::of(ir);
    let (handles, value, lookup) = match &kinds {
        Some(kinds) => (
            variants::handles(ir, kinds),
            variants::value(ir, kinds),
            variants::lookup(ir, kinds),
        ),
        None => (handles::item(ir), value::item(ir), lookup::item(ir)),
    };
    let codec = codec::item(ir);
    let model = ir.is_model().then(|| model::item(ir));
    let finders = kinds.as_ref().map(|kinds| variants::finders(ir, kinds));
    (
        quote!(#markers #handles #value #lookup #codec #model),
        finders,
    )
}

/// The traits and methods of single attributes.
fn methods(ir: &Ir<'_>) -> TokenStream {
    let version = version::item(ir);
    let queue = queue::item(ir);
    let soft_delete = soft_delete::item(ir);
    let bucket = bucket::item(ir);
    let overflow = overflow::item(ir);
    let relations = relation::loaders(ir);
    let children = children::methods(ir);
    let accesses = access::methods(ir);
    let duplicates = duplicates::methods(ir);
    let unique = unique::item(ir);
    quote! {
        #version #queue #soft_delete #bucket #overflow #relations #children #accesses #duplicates #unique
    }
}
