//! The derives of [`mongo-model`](https://docs.rs/mongo-model): `MongoModel`, `MongoEmbed` and
//! `MongoProjection`.
//!
//! Data flows one way: `parse` fills `syntax` (what was written), `ir` decides the role of each field, `check` applies the rules,
//! `expand` writes tables. On any error all errors are reported together, and the tables are written without checks, so that
//! nothing that uses the type fails for that reason.

#![warn(missing_docs)]

mod check;
mod ctxt;
mod diag;
mod expand;
#[cfg(test)]
mod floors;
#[cfg(test)]
mod goldens;
mod ir;
mod names;
mod parse;
mod rules;
mod syntax;
mod types;

use std::panic::{AssertUnwindSafe, catch_unwind};

use proc_macro::TokenStream;
use quote::quote;
use syn::DeriveInput;

use crate::ctxt::Ctxt;
use crate::ir::Ir;
use crate::syntax::Kind;

#[doc = include_str!("docs/model.md")]
#[proc_macro_derive(
    MongoModel,
    attributes(
        model, embed, refs, parent, denorm, index, volatile, version, created, updated, deleted,
        immutable, recent, count, sum, avg, min, max, check, default, period, ancestors, personal
    )
)]
pub fn mongo_model(input: TokenStream) -> TokenStream {
    report_panics("MongoModel", || expand_item(input.into(), Kind::Model)).into()
}

#[doc = include_str!("docs/embed.md")]
#[proc_macro_derive(
    MongoEmbed,
    attributes(
        model, embed, refs, parent, denorm, index, volatile, version, created, updated, deleted,
        immutable, recent, count, sum, avg, min, max, check, default, period, ancestors, personal
    )
)]
pub fn mongo_embed(input: TokenStream) -> TokenStream {
    report_panics("MongoEmbed", || expand_item(input.into(), Kind::Embed)).into()
}

#[doc = include_str!("docs/projection.md")]
#[proc_macro_derive(MongoProjection, attributes(projection))]
pub fn mongo_projection(input: TokenStream) -> TokenStream {
    report_panics("MongoProjection", || expand_projection(input.into())).into()
}

#[doc = include_str!("docs/migration.md")]
#[proc_macro_attribute]
pub fn migration(args: TokenStream, item: TokenStream) -> TokenStream {
    let item = proc_macro2::TokenStream::from(item);
    let step = report_panics("migration", || expand_migration(args.into(), &item));
    quote!(#item #step).into()
}

/// The name of a time zone, for `mongo_model::zone!`.
#[doc(hidden)]
#[proc_macro]
pub fn zone_name(input: TokenStream) -> TokenStream {
    let name: syn::LitStr = match syn::parse(input) {
        Ok(name) => name,
        Err(error) => return error.into_compile_error().into(),
    };
    let error = check::zone_error(&name, None);
    let error = error.map(|error| error.to_tokens());
    quote!({ #error #name }).into()
}

/// Runs a derive. A panic in it is a defect of this crate: it becomes one error that asks for a report, because rustc's own
/// message for it ("proc-macro derive panicked") names neither the crate nor a way on.
fn report_panics(
    derive: &str,
    expand: impl FnOnce() -> proc_macro2::TokenStream,
) -> proc_macro2::TokenStream {
    catch_unwind(AssertUnwindSafe(expand))
        .unwrap_or_else(|panic| diag::panicked(derive, panic.as_ref()))
}

fn expand_item(input: proc_macro2::TokenStream, kind: Kind) -> proc_macro2::TokenStream {
    let input: DeriveInput = match syn::parse2(input) {
        Ok(input) => input,
        Err(error) => return error.into_compile_error(),
    };
    let cx = Ctxt::default();
    let item = parse::parse_item(&input, kind, &cx);
    let ir = Ir::lower(&item);
    check::check_item(&ir, &cx);
    let ir = ir.checked(cx.has_failed());
    // A table needs names to list, and an item of a model no parameters.
    let tables = !matches!(input.data, syn::Data::Union(_))
        && (kind == Kind::Embed || input.generics.params.is_empty());
    let expansion = tables.then(|| expand::expand_item(&ir));
    let errors = cx.into_tokens();
    quote!(#errors #expansion)
}

fn expand_migration(
    args: proc_macro2::TokenStream,
    item: &proc_macro2::TokenStream,
) -> proc_macro2::TokenStream {
    let cx = Ctxt::default();
    let migration = parse::parse_migration(args, item, &cx);
    if let Some(migration) = &migration {
        check::check_migration(migration, &cx);
    }
    let migration = migration.filter(|_| !cx.has_failed());
    let expansion = migration.as_ref().map(expand::expand_migration);
    let errors = cx.into_tokens();
    quote!(#errors #expansion)
}

fn expand_projection(input: proc_macro2::TokenStream) -> proc_macro2::TokenStream {
    let input: DeriveInput = match syn::parse2(input) {
        Ok(input) => input,
        Err(error) => return error.into_compile_error(),
    };
    let cx = Ctxt::default();
    let item = parse::parse_projection(&input, &cx);
    check::check_projection(&item, &cx);
    let failed = cx.has_failed();
    let named = item.generics.params.is_empty() || item.lifetime().is_some();
    let expansion = named.then(|| expand::expand_projection(&item, failed));
    let errors = cx.into_tokens();
    quote!(#errors #expansion)
}
