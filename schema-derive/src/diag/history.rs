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

pub(crate) fn history_fields_and_skip(span: &dyn ToTokens, owner: &str) -> Diag {
    Diag::new(
        span,
        &rules::ATTR_CONFLICT,
        format!("`fields` and `skip` of `history(..)` on `{owner}` exclude each other"),
    )
    .help("remove one of them: `fields` names what is kept, `skip` what is left out")
}

pub(crate) fn history_keeps_nothing(span: &dyn ToTokens, owner: &str) -> Diag {
    Diag::new(
        span,
        &rules::ATTR_VALUE,
        format!("`history(keep_last = {})` of `{owner}` does not fit: a document keeps from 1 to 1000000 entries", span.to_token_stream()),
    )
    .help("the correct form is `keep_last = 100`")
}

pub(crate) fn history_field(
    span: &Ident,
    owner: &str,
    option: &str,
    problem: &str,
    names: &[String],
) -> Diag {
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    Diag::new(
        span,
        &rules::ATTR_VALUE,
        format!("`history({option}(..))` names `{span}`, and `{owner}` {problem}"),
    )
    .help(expected(&span.to_string(), &names))
}

pub(crate) fn history_field_twice(span: &Ident, owner: &str, option: &str) -> Diag {
    Diag::new(
        span,
        &rules::ATTR_CONFLICT,
        format!("`{span}` is named twice in `history({option}(..))` of `{owner}`"),
    )
    .help("remove one of them")
}

/// `names` are those of the option that leaves personal fields out.
pub(crate) fn history_personal(
    span: &dyn ToTokens,
    owner: &str,
    (option, names): (&str, &[String]),
) -> Diag {
    Diag::new(
        span,
        &rules::HISTORY_PERSONAL,
        format!("the history would keep the values of `{owner}`, which is personal"),
    )
    .help(match names {
        [] => "remove it from `history(fields(..))`".to_owned(),
        names => format!("`history({option}({}))`", names.join(", ")),
    })
    .note("an erase changes the document, and no entry of its history")
}
