//! Messages about `shard_key(..)`.

use proc_macro2::Ident;
use quote::ToTokens;

use super::{Diag, expected};
use crate::rules;

const TARGETED: &str = "each call knows the `_id` and the tenant of a document; by other fields it would have to ask every shard";

pub(crate) fn shard_unknown(span: &Ident, owner: &str, names: &[String]) -> Diag {
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    Diag::new(
        span,
        &rules::SHARD_KEY,
        format!("`{span}` in the shard key of `{owner}` names no stored field of it"),
    )
    .help(expected(&span.to_string(), &names))
    .note(TARGETED)
}

pub(crate) fn shard_field(span: &dyn ToTokens, owner: &str, problem: &str, form: &str) -> Diag {
    Diag::new(
        span,
        &rules::SHARD_KEY,
        format!("`{owner}` cannot be here in the shard key: it {problem}"),
    )
    .help(format!("`{form}`"))
    .note(TARGETED)
}

pub(crate) fn shard_without_id(span: &dyn ToTokens, owner: &str, form: &str) -> Diag {
    Diag::new(
        span,
        &rules::SHARD_KEY,
        format!("the shard key of `{owner}` is without its `_id`"),
    )
    .help(format!("`{form}`"))
    .note("the documents of one tenant would be one chunk, which the cluster can neither split nor move once it is large")
}

pub(crate) fn shard_unique(span: &dyn ToTokens, owner: &str) -> Diag {
    Diag::new(
        span,
        &rules::SHARD_UNIQUE,
        format!("an index on `{owner}` is unique, and its model has a shard key"),
    )
    .help("make the value the `_id`, or keep it as the `_id` of a model of its own that is not sharded")
    .note("each shard compares its own documents alone; the server refuses a unique index that does not begin with the shard key (error 67)")
}

pub(crate) fn shard_with(span: &dyn ToTokens, owner: &str, kind: &str) -> Diag {
    Diag::new(
        span,
        &rules::SHARD_WITH,
        format!("`{owner}` {kind}, and cannot have a shard key"),
    )
    .help("remove `shard_key`: the collection stays on one shard")
    .note("its calls find documents by other fields than the shard key, which the server refuses or sends to every shard")
}
