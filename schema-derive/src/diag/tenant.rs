//! Messages about `tenant = ..`.

use proc_macro2::Ident;
use quote::ToTokens;

use super::{Diag, expected};
use crate::rules;

pub(crate) fn tenant_field(span: &Ident, owner: &str, names: &[String]) -> Diag {
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    Diag::new(
        span,
        &rules::TENANT_FIELD,
        format!("`tenant = {span}` of `{owner}` names no stored field of it"),
    )
    .help(expected(&span.to_string(), &names))
    .note("every document says which tenant it belongs to")
}

pub(crate) fn tenant_and(span: &dyn ToTokens, owner: &str, other: &str) -> Diag {
    Diag::new(
        span,
        &rules::TENANT_FIELD,
        format!("the tenant `{owner}` is also `{other}`"),
    )
    .help("a plain field of its own: `pub org: Id<Org>`")
    .note("the program says it when the document is stored first, and no write changes it")
}

pub(crate) fn tenant_stored(span: &dyn ToTokens, owner: &str) -> Diag {
    Diag::new(
        span,
        &rules::TENANT_FIELD,
        format!("the tenant `{owner}` is not always stored as its type says"),
    )
    .help("remove the serde attribute")
    .note("every filter compares the field with the stored form of the tenant")
}

pub(crate) fn tenant_kind(span: &dyn ToTokens, owner: &str, other: &str) -> Diag {
    Diag::new(
        span,
        &rules::TENANT_WITH,
        format!("`{owner}` {other}, and cannot have a `tenant`"),
    )
    .help("a database for each tenant needs no wall: remove `tenant`, and pass another `&Database`")
    .note("the wall is a condition in every filter, and what is not built with it is refused rather than left open")
}

pub(crate) fn tenant_sparse(span: &dyn ToTokens, owner: &str) -> Diag {
    Diag::new(
        span,
        &rules::TENANT_WITH,
        format!("the index on `{owner}` is `sparse`, and its model has a `tenant`"),
    )
    .help("a condition in the place of `sparse`: `partial(exists)`")
    .note("the index begins with the tenant, which every document has: it would leave out nothing")
}

/// The reason for an index across tenants that `help` shows.
const ACROSS_FORM: &str = "`across_tenants = \"a person signs in before the tenant is known\"`";

pub(crate) fn tenant_reason(span: &dyn ToTokens, owner: &str) -> Diag {
    Diag::new(
        span,
        &rules::TENANT_UNIQUE,
        format!("`across_tenants` of an index on `{owner}` gives no reason"),
    )
    .help(ACROSS_FORM)
    .note("who stores a value learns whether another tenant has it")
}

pub(crate) fn tenant_across(span: &dyn ToTokens, owner: &str, reason: &str) -> Diag {
    Diag::new(
        span,
        &rules::TENANT_UNIQUE,
        format!("an index on `{owner}` is `across_tenants`, and {reason}"),
    )
    .help("remove `across_tenants`")
    .note("it takes the tenant from the front of a unique index: no two tenants have the same key")
}

pub(crate) fn tenant_index(span: &dyn ToTokens, owner: &str) -> Diag {
    Diag::new(
        span,
        &rules::TENANT_WITH,
        format!("an index on `{owner}` names the tenant"),
    )
    .help("leave it out")
    .note("every index of the model begins with the tenant, and every filter has it: what the other keys serve is served")
}
