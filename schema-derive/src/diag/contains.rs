//! Messages about `#[index(contains)]`.

use quote::ToTokens;

use super::Diag;
use crate::rules;

/// The longest text whose parts are stored, in characters.
pub(crate) const LONGEST: u64 = 1_000;

pub(crate) fn contains_with(span: &dyn ToTokens, owner: &str) -> Diag {
    Diag::new(
        span,
        &rules::IDX_CONTAINS,
        format!("this option has no meaning beside `contains` on `{owner}`"),
    )
    .help("`#[index(contains, min = 3)]`, and for other filters a second `#[index(..)]`")
    .note("the index is over the parts of the text, not over the text")
}

pub(crate) fn contains_twice(span: &dyn ToTokens, owner: &str) -> Diag {
    Diag::new(
        span,
        &rules::IDX_CONTAINS,
        format!("`{owner}` has two indexes of its parts"),
    )
    .help("remove one")
    .note("a search for a part takes the index by its field")
}

pub(crate) fn contains_min(span: &dyn ToTokens, owner: &str) -> Diag {
    Diag::new(
        span,
        &rules::IDX_CONTAINS,
        format!("`min` of `{owner}` stands without `contains`"),
    )
    .help("`#[index(contains, min = 3)]`")
    .note("`min` is the length of the shortest part that is found; other indexes have none")
}

pub(crate) fn contains_place(span: &dyn ToTokens, owner: &str, why: &str) -> Diag {
    Diag::new(
        span,
        &rules::IDX_CONTAINS,
        format!("`contains` has no meaning on `{owner}` because {why}"),
    )
    .help("put it on a `String` or `Option<String>` that the program sets, at the top of a model that is a struct with a collection of its own")
    .note("each write of the text stores its parts beside it, in the same command")
}

pub(crate) fn contains_unbounded(span: &dyn ToTokens, owner: &str) -> Diag {
    Diag::new(
        span,
        &rules::IDX_CONTAINS,
        format!("nothing bounds the parts of `{owner}`, which the document stores beside it"),
    )
    .help("`#[check(len = 1..=200)]` or `#[model(max_len = 200)]`")
    .note("a text of 100 characters has about 120 parts, each of them a key in the index")
}

pub(crate) fn contains_long(span: &dyn ToTokens, owner: &str, longest: u64) -> Diag {
    Diag::new(
        span,
        &rules::IDX_CONTAINS,
        format!(
            "`{owner}` has up to {longest} characters, and as many keys in the index of its parts"
        ),
    )
    .help(format!(
        "a bound of at most {LONGEST}, or `#[index(text)]`, which finds whole words"
    ))
    .note("each write of the text writes all of these keys")
}
