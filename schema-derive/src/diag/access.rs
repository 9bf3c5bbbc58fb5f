//! Messages about `access(..)`.

use proc_macro2::Ident;
use quote::ToTokens;

use super::{Diag, expected};
use crate::rules::{self, Rule};

pub(crate) fn access_taken(name: &Ident, owner: &str) -> Diag {
    Diag::new(
        name,
        &rules::ATTR_CONFLICT,
        format!(
            "`access({name}(..))` on `{owner}` would hide the method `{name}` that every model has"
        ),
    )
    .help("name it after its query: `recent`, `of_host`, `open_since`")
}

pub(crate) fn access_twice(name: &Ident, owner: &str) -> Diag {
    Diag::new(
        name,
        &rules::ATTR_DUPLICATE,
        format!("`access({name}(..))` is declared twice on `{owner}`"),
    )
    .help("each pattern is a method: give the second another name")
}

pub(crate) fn access_field(span: &Ident, name: &Ident, owner: &str, known: &[String]) -> Diag {
    let known: Vec<&str> = known.iter().map(String::as_str).collect();
    Diag::new(
        span,
        &rules::ATTR_VALUE,
        format!("`{span}` in `access({name}(..))` names no stored field of `{owner}`"),
    )
    .help(expected(&span.to_string(), &known))
}

pub(crate) fn access_key_twice(span: &Ident, name: &Ident, owner: &str) -> Diag {
    Diag::new(
        span,
        &rules::ATTR_DUPLICATE,
        format!("`{span}` stands twice in `access({name}(..))` on `{owner}`"),
    )
    .help("remove one: a field is compared with one value or with one range")
}

pub(crate) fn access_sort_array(span: &Ident, name: &Ident, owner: &str) -> Diag {
    Diag::new(
        span,
        &rules::IDX_SORT_DIR,
        format!("`access({name}(..))` on `{owner}` sorts by `{span}`, an array"),
    )
    .help("sort by a field that holds one value")
    .note("a document stands in an index once per element, so no index has an order of documents; the server sorts in memory")
}

pub(crate) fn access_empty(site: &dyn ToTokens, owner: &str) -> Diag {
    Diag::new(
        site,
        &rules::ATTR_VALUE,
        format!("this pattern of `{owner}` asks for every document in no order"),
    )
    .help("name the fields that are compared: `access(recent(host, sort = -time, limit = 5000))`")
}

/// A pattern that no index serves; `near` is the index that nearly does, `missing` the one that would.
pub(crate) fn access_index(
    site: &dyn ToTokens,
    rule: &'static Rule,
    name: &Ident,
    owner: &str,
    near: &str,
    missing: &str,
) -> Diag {
    let pattern = format!("`access({name}(..))` on `{owner}`");
    let (what, note) = match rule.code {
        "IDX_SORT_DIR" => (
            format!(
                "{pattern} sorts in directions that the index `keys({near})` has neither forwards nor backwards"
            ),
            "an index is read from either end, which reverses all directions together; otherwise the server sorts in memory",
        ),
        "IDX_ESR" => (
            format!(
                "{pattern} finds its fields in the index `keys({near})` in an order that does not serve it"
            ),
            "keys compared for equality come first, then those that sort, then the range (ESR): else the server reads keys in vain or sorts in memory",
        ),
        "IDX_PARTIAL_QUERY" => (
            format!("{pattern} asks for documents that the index `keys({near})` may leave out"),
            "the server uses a partial or sparse index only where the query states its conditions: `only(..)` states them",
        ),
        _ => (
            format!("{pattern} has no index"),
            "indexed queries find a document in a million as fast as one in a thousand; without an index every document is read (rule of thumb 4)",
        ),
    };
    Diag::new(site, rule, what)
        .help(format!("`{missing}`"))
        .note(note)
}

/// Adds the conditions of the index that nearly serves the pattern.
pub(crate) fn access_stating(said: Diag, conditions: &[String]) -> Diag {
    said.help(format!(
        "or state its conditions in the pattern, which then asks for these documents only: `only({})`",
        conditions.join(", ")
    ))
}
