//! From the checked item to tokens. Makes no errors: every table it writes is valid by construction.

mod access;
mod bucket;
mod checks;
mod children;
mod codec;
mod comparisons;
mod copies;
mod duplicates;
mod entry;
mod events;
mod handles;
mod history;
mod index;
mod lookup;
mod migration;
mod model;
mod new;
mod numbers;
mod overflow;
mod patch;
mod period;
mod personal;
mod polymorphic;
mod projection;
mod queue;
mod relation;
mod schema;
mod soft_delete;
mod span;
mod subset;
mod tenant;
mod tokens;
mod tree;
mod two_way;
mod unique;
mod unknown_fields;
mod value;
mod values;
mod variants;
mod version;
mod view;

use proc_macro2::TokenStream;
use quote::quote;

pub(crate) use self::migration::expand_migration;
pub(crate) use self::projection::expand_projection;
use self::tokens::with_driver;
use crate::ir::Ir;
use crate::syntax::{Body, SubsetKind};

/// The whole expansion.
pub(crate) fn expand_item(ir: &Ir<'_>) -> TokenStream {
    let rt = &ir.rt;
    let entries: TokenStream = ir
        .entries()
        .iter()
        .map(|(row, entry)| entry::expand_struct(ir, row, entry))
        .collect();
    let entry_impls: TokenStream = ir
        .entries()
        .iter()
        .map(|(_, entry)| entry::expand_impls(ir, entry))
        .collect();
    let (subsets, subset_impls) = expand_subsets(ir);
    let (loaded, refers) = with_driver(|| polymorphic::expand(ir)).unwrap_or_default();
    let (tables, finders) = expand_tables(ir);
    let methods = expand_methods(ir);
    let checks = if ir.failed {
        TokenStream::new()
    } else {
        checks::expand(ir)
    };
    let allowed = tokens::allowed_lints();
    quote! {
        #entries
        #loaded
        #subsets
        #[doc(hidden)]
        #allowed
        const _: () = {
            use #rt as __rt;
            use __rt::{Fallback as _, codec::*};
            #tables
            #subset_impls
            #methods
            #entry_impls
            #refers
            #finders
            #checks
        };
    }
}

/// The tables and the traits that describe the item, and the finders of the variants of a model that is an enum.
fn expand_tables(ir: &Ir<'_>) -> (TokenStream, Option<TokenStream>) {
    let markers = handles::expand_markers(ir);
    let kinds = variants::model_variants(ir);
    let (handles, value, lookup) = match &kinds {
        Some(kinds) => (
            variants::expand_handles(ir, kinds),
            variants::expand_value(ir, kinds),
            variants::expand_lookup(ir, kinds),
        ),
        None => (handles::expand(ir), value::expand(ir), lookup::expand(ir)),
    };
    let codec = codec::expand(ir);
    let model = ir.is_model().then(|| model::expand(ir));
    let finders = kinds
        .as_ref()
        .map(|kinds| variants::expand_finders(ir, kinds));
    (
        quote!(#markers #handles #value #lookup #codec #model),
        finders,
    )
}

/// The structs of `new`, `view` and `patch`, and the impls that make them useful.
fn expand_subsets(ir: &Ir<'_>) -> (TokenStream, TokenStream) {
    let is_struct = matches!(ir.item.body, Body::Struct(_));
    if !is_struct || !ir.item.generics.params.is_empty() {
        return Default::default();
    }
    let all = ir.item.attrs.subsets.iter();
    let all = all.filter(|attr| attr.name != ir.item.ident && ir.has_free_name(attr));
    let parts = all.map(|attr| match attr.kind {
        SubsetKind::New => new::expand(ir, attr),
        SubsetKind::View => view::expand(ir, attr),
        SubsetKind::Patch => patch::expand(ir, attr),
    });
    parts.unzip()
}

/// The traits and methods of single attributes.
fn expand_methods(ir: &Ir<'_>) -> TokenStream {
    let version = version::expand(ir);
    let queue = queue::expand(ir);
    let events = events::expand(ir);
    let history = history::expand(ir);
    let soft_delete = soft_delete::expand(ir);
    let tree = tree::expand(ir);
    let bucket = bucket::expand(ir);
    let overflow = overflow::expand(ir);
    let period = period::expand(ir);
    let personal = personal::expand(ir);
    let relations = with_driver(|| relation::expand_loaders(ir));
    let children = with_driver(|| children::expand_methods(ir));
    let accesses = with_driver(|| access::expand_methods(ir));
    let duplicates = duplicates::expand_methods(ir);
    let unique = unique::expand(ir);
    quote! {
        #version #queue #events #history #soft_delete #tree #bucket #overflow #period #personal #relations #children #accesses #duplicates #unique
    }
}
