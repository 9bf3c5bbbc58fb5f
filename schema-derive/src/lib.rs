//! The derives of [`mongo-model`](https://docs.rs/mongo-model): `MongoModel`, `MongoEmbed` and
//! `MongoProjection`.
//!
//! Data flows one way: `syntax` (what was written) is parsed, `check` judges it, `expand` writes tables. On any error all
//! errors are reported together, and a stub is written instead, so that nothing that uses the type fails for that reason.

mod check;
mod ctxt;
mod diag;
mod expand;
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
use crate::syntax::Kind;

/// Makes a struct a model: a document type that owns a collection.
///
/// Options on the struct, in `#[model(..)]`: `collection = ".."` (required), `index(keys(a, -b, c.d), unique, ..)`,
/// `queue(priority = field, ..)`, `bucket(items)`, `access(name(field, .., sort = -field, limit = N), ..)`, `schema_version = 2, migrate = path`, `strict`,
/// `allow(rule, reason = "..")`, `crate = path`. Attributes on fields: `embed`, `refs`, `parent`,
/// `denorm` (`field = name`, or `field = profile.name` inside an embedded struct), `recent`, `count`, `index`, `volatile`, `version`, `created`,
/// `updated`, `immutable`, and `model(..)`, in which each of the others is accepted too, beside `max_len = N`, `writes_per_read = 0.5`, `opaque` and `allow(..)`.
#[proc_macro_derive(
    MongoModel,
    attributes(
        model, embed, refs, parent, denorm, index, volatile, version, created, updated, immutable,
        recent, count
    )
)]
pub fn mongo_model(input: TokenStream) -> TokenStream {
    report_panics("MongoModel", || expand_item(input.into(), Kind::Model)).into()
}

/// Makes a struct or enum an embedded document: a value that lives inside a model.
///
/// Attributes on fields as for `MongoModel`.
#[proc_macro_derive(
    MongoEmbed,
    attributes(
        model, embed, refs, parent, denorm, index, volatile, version, created, updated, immutable,
        recent, count
    )
)]
pub fn mongo_embed(input: TokenStream) -> TokenStream {
    report_panics("MongoEmbed", || expand_item(input.into(), Kind::Embed)).into()
}

/// Makes a struct a projection: the fields of a model, or of an embedded document, that a read asks for.
///
/// On the struct: `#[projection(of = Product)]`, with `fallback = ProductPart` for a view that falls back to the copies in that
/// type, and `crate = path`. Fields have the Rust names and types of the model's fields; `#[projection(nested)]` on a field
/// whose type is a projection of the embedded document there. With a lifetime as its only parameter it borrows: its `&'a str`
/// and `&'a [u8]` are read where they lie in the server's reply.
#[proc_macro_derive(MongoProjection, attributes(projection))]
pub fn mongo_projection(input: TokenStream) -> TokenStream {
    report_panics("MongoProjection", || expand_projection(input.into())).into()
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
    let item = parse::item(&input, kind, &cx);
    check::item(&item, &cx);
    let failed = cx.failed();
    // A table needs names to list, and an item of a model no parameters.
    let tables = !matches!(input.data, syn::Data::Union(_))
        && (kind == Kind::Embed || input.generics.params.is_empty());
    let expansion = tables.then(|| expand::item(&item, failed));
    let errors = cx.into_tokens();
    quote!(#errors #expansion)
}

fn expand_projection(input: proc_macro2::TokenStream) -> proc_macro2::TokenStream {
    let input: DeriveInput = match syn::parse2(input) {
        Ok(input) => input,
        Err(error) => return error.into_compile_error(),
    };
    let cx = Ctxt::default();
    let item = parse::projection(&input, &cx);
    check::projection(&item, &cx);
    let failed = cx.failed();
    let named = item.generics.params.is_empty() || item.lifetime().is_some();
    let expansion = named.then(|| expand::projection(&item, failed));
    let errors = cx.into_tokens();
    quote!(#errors #expansion)
}
