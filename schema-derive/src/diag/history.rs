//! Messages about `history(..)`.

use proc_macro2::Ident;
use quote::ToTokens;

use super::{Diag, expected};
use crate::rules;

pub(crate) fn history_with(span: &dyn ToTokens, owner: &str, kind: &str, help: &str) -> Diag {
    Diag::new(
        span,
        &rules::HISTORY_WITH,
        format!("`{owner}` {kind}, and cannot have a `history`"),
    )
    .help(help)
}

pub(crate) fn history_skip_field(
    span: &Ident,
    owner: &str,
    problem: &str,
    names: &[String],
) -> Diag {
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    Diag::new(
        span,
        &rules::ATTR_VALUE,
        format!("`history(skip(..))` names `{span}`, and `{owner}` {problem}"),
    )
    .help(expected(&span.to_string(), &names))
}

pub(crate) fn history_skip_twice(span: &Ident, owner: &str) -> Diag {
    Diag::new(
        span,
        &rules::ATTR_CONFLICT,
        format!("`{span}` is named twice in `history(skip(..))` of `{owner}`"),
    )
    .help("remove one of them")
}

/// `names` are the fields that the model has to skip.
pub(crate) fn history_personal(span: &dyn ToTokens, owner: &str, names: &[String]) -> Diag {
    Diag::new(
        span,
        &rules::HISTORY_PERSONAL,
        format!("the history would keep the values of `{owner}`, which is personal"),
    )
    .help(format!("`history(skip({}))`", names.join(", ")))
    .note("an erase changes the document, and no entry of its history")
}
