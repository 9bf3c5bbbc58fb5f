//! Messages about projections.

use proc_macro2::Ident;
use quote::ToTokens;
use syn::{Lifetime, Type};

use super::Diag;
use crate::rules;

pub(crate) fn projection_shape(ident: &Ident, owner: &str) -> Diag {
    Diag::new(
        ident,
        &rules::PROJECTION_SHAPE,
        format!("`MongoProjection` on `{owner}` needs a struct with named fields"),
    )
    .note("a projection names fields of its model")
}

pub(crate) fn projection_generic(span: &dyn ToTokens, owner: &str) -> Diag {
    Diag::new(
        span,
        &rules::PROJECTION_SHAPE,
        format!("projection `{owner}` is generic"),
    )
    .help("name the types; its only parameter may be a lifetime, for `&'a str` and `&'a [u8]`")
    .note("the fields of a projection are checked against its model where it stands")
}

pub(crate) fn projection_lent_type(ty: &Type, owner: &str) -> Diag {
    let written = super::type_text(ty);
    Diag::new(
        ty,
        &rules::PROJECTION_SHAPE,
        format!("`{owner}` cannot borrow a `{written}` from the server's reply"),
    )
    .help("own it, or borrow `&'a str`, `&'a [u8]`, or an `Option` of one")
    .note("only text and bytes have the same form in BSON as in memory")
}

pub(crate) fn projection_lent_fallback(site: &dyn ToTokens, lent: &Lifetime, owner: &str) -> Diag {
    Diag::new(
        site,
        &rules::PROJECTION_SHAPE,
        format!("projection `{owner}` borrows for `{lent}`, and copies to fall back to are no part of a reply"),
    )
    .help("remove `fallback`, or own what is read: `String` instead of `&str`")
}

pub(crate) fn projection_empty(ident: &Ident, owner: &str) -> Diag {
    Diag::new(
        ident,
        &rules::PROJECTION_SHAPE,
        format!("projection `{owner}` has no fields"),
    )
    .help("ids alone: `find(..).ids()`; how many: `count(..)`")
    .note("a projection without inclusions would read the whole document")
}

pub(crate) fn projection_of_nothing(ident: &Ident, owner: &str) -> Diag {
    Diag::new(
        ident,
        &rules::ATTR_MISSING,
        format!("projection `{owner}` does not say what it is a projection of"),
    )
    .help("`#[projection(of = Product)]`")
}

pub(crate) fn projection_deny_unknown(span: &dyn ToTokens, owner: &str) -> Diag {
    Diag::new(
        span,
        &rules::SERDE_UNSUPPORTED,
        format!("`deny_unknown_fields` on projection `{owner}` would refuse what a join adds"),
    )
    .help("remove it")
    .note("a loader asks for the id beside the projection's own fields")
}

pub(crate) fn projection_serde(span: &dyn ToTokens, word: &str, owner: &str) -> Diag {
    Diag::new(
        span,
        &rules::SERDE_UNSUPPORTED,
        format!("`#[serde({word})]` on `{owner}`: a projection reads stored fields one by one"),
    )
    .help("remove it, and name the fields that are read")
    .note("the paths to ask for are taken from the fields of the struct")
}

pub(crate) fn projection_skip(span: &dyn ToTokens, owner: &str) -> Diag {
    Diag::new(
        span,
        &rules::SERDE_UNSUPPORTED,
        format!("`{owner}` is in a projection but is not read"),
    )
    .help("remove the field, or its `skip`")
}

pub(crate) fn projection_nested_with(span: &dyn ToTokens, owner: &str) -> Diag {
    Diag::new(
        span,
        &rules::SERDE_UNSUPPORTED,
        format!("`{owner}` is read in parts, but has a serde form of its own"),
    )
    .help("remove the `with`, or `#[projection(nested)]`")
}
