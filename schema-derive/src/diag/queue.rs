//! Messages about `queue(..)`.

use proc_macro2::Ident;
use quote::ToTokens;

use super::{Diag, expected};
use crate::rules;

pub(crate) fn queue_field(span: &Ident, option: &str, owner: &str, names: &[String]) -> Diag {
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    Diag::new(
        span,
        &rules::QUEUE_FIELD,
        format!("`{option} = {span}` of the queue `{owner}` names no stored field of it"),
    )
    .help(expected(&span.to_string(), &names))
}

pub(crate) fn queue_twice(span: &Ident, owner: &str) -> Diag {
    Diag::new(
        span,
        &rules::ATTR_CONFLICT,
        format!("`order = {span}` of the queue `{owner}` contradicts `priority = {span}`"),
    )
    .help("remove `order`: jobs of one priority are taken in the order of their `_id`s then")
}

pub(crate) fn queue_attempts(span: &dyn ToTokens, owner: &str) -> Diag {
    Diag::new(
        span,
        &rules::ATTR_VALUE,
        format!("a job of the queue `{owner}` could never be taken"),
    )
    .help("`max_attempts = 5`: at least 1, and at most 4,294,967,295")
}
