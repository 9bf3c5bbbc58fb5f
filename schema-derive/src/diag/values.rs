//! Messages about `#[check(..)]`.

use quote::ToTokens;

use super::Diag;
use crate::rules;
use crate::syntax::{ValueCheck, ValueRule};

pub(crate) fn check_never_met(site: &dyn ToTokens, owner: &str, check: &ValueCheck) -> Diag {
    let (what, form) = match check.rule {
        ValueRule::Len { .. } => ("length", "len = 3..=80"),
        _ => ("number", "range = 0..=100"),
    };
    Diag::new(
        site,
        &rules::CHECK_EMPTY,
        format!("no {what} meets `{}` on `{owner}`", check.name),
    )
    .help(format!("the lower end comes first: `{form}`"))
    .note("every write of the field would be refused")
}

pub(crate) fn check_contradicts(
    site: &dyn ToTokens,
    owner: &str,
    (name, max): (&str, u64),
) -> Diag {
    Diag::new(
        site,
        &rules::CHECK_EMPTY,
        format!("`len` on `{owner}` begins above its `{name} = {max}`"),
    )
    .help(format!("lower it, or raise `{name}`"))
    .note("every write of the field would be refused")
}

/// The constructs of a pattern.
const CONSTRUCTS: &str = "characters, classes `[a-z]`, `\\d`, `\\w`, `\\s`, groups `(..)` and `(?:..)`, `|`, `*`, `+`, `?`, `{2,4}`, `^` and `$`";

/// A pattern that is no regular expression.
pub(crate) fn check_no_pattern(site: &dyn ToTokens, owner: &str, error: &str) -> Diag {
    Diag::new(
        site,
        &rules::CHECK_PATTERN,
        format!("the pattern of `{owner}` is no regular expression: {error}"),
    )
    .help(CONSTRUCTS)
}

pub(crate) fn check_pattern(site: &dyn ToTokens, owner: &str, construct: &str) -> Diag {
    Diag::new(
        site,
        &rules::CHECK_PATTERN,
        format!("the pattern of `{owner}` has a construct that is not portable: `{construct}`"),
    )
    .help(CONSTRUCTS)
    .note("this program matches with Rust's regular expressions, and the server's validator with PCRE: only what both read in the same way is allowed")
}

/// `check` beside another role of the field.
pub(crate) fn check_and(site: &dyn ToTokens, owner: &str, other: &str) -> Diag {
    let diag = Diag::new(
        site,
        &rules::CHECK_FIELD,
        format!("`check` on `{owner}` contradicts `{other}`"),
    );
    match other {
        "opaque" | "with" => diag
            .help(
                "a type of your own that stores the value: a newtype with `#[derive(MongoEmbed)]`",
            )
            .note("a check judges the stored value, and here only serde functions know its form"),
        "denorm" => diag
            .help("put it on the field that is copied")
            .note("a copy is what its source says"),
        "refs" | "parent" => diag
            .help("remove it")
            .note("delete rules and the other side of a reference change the field too"),
        _ => diag
            .help("remove it")
            .note("the library writes the field, not the program"),
    }
}

/// A rule about the array of a bucket's items.
pub(crate) fn check_items(site: &dyn ToTokens, owner: &str) -> Diag {
    Diag::new(
        site,
        &rules::CHECK_FIELD,
        format!("`check` on `{owner}`, the items of a bucket, is about their array"),
    )
    .help("a rule about each item stands on a field of its type")
    .note("a bucket begins empty and is closed when it holds `max` items")
}

pub(crate) fn check_on_newtype(site: &dyn ToTokens, owner: &str) -> Diag {
    Diag::new(
        site,
        &rules::CHECK_FIELD,
        format!("`check` has no meaning on `{owner}`, the value of a newtype"),
    )
    .help("it belongs on the fields that hold one")
}

pub(crate) fn check_in_generic(site: &dyn ToTokens, owner: &str) -> Diag {
    Diag::new(
        site,
        &rules::CHECK_FIELD,
        format!("`check` on `{owner}` is in a type with parameters"),
    )
    .help("put it on a field of a type without parameters")
    .note("the type of the field is known where the parameters are, and no rule can be compared with it here")
}

pub(crate) fn check_left_out(site: &dyn ToTokens, owner: &str) -> Diag {
    Diag::new(
        site,
        &rules::CHECK_FIELD,
        format!("`{owner}` has a `check`, and its `skip_serializing_if` leaves values out"),
    )
    .help("remove `skip_serializing_if`, or take an `Option`")
    .note("a value that is not stored is not checked, and is read again")
}
