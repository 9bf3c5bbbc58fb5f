//! Messages about `#[model(check(start < end))]`.

use proc_macro2::Ident;
use quote::ToTokens;

use super::{Diag, expected};
use crate::rules;
use crate::syntax::{ComparisonAttr, DocumentJudge};

pub(crate) fn compare_in(comparison: &ComparisonAttr, owner: &str, problem: &str) -> Diag {
    Diag::new(
        &comparison.site,
        &rules::CHECK_FIELD,
        format!("`check(..)` on `{owner}`, which {problem}, compares no fields"),
    )
    .help("a rule about each value: `#[check(range = 0..=100)]` on its field")
    .note("the fields of a struct are compared, in every document that it describes")
}

pub(crate) fn judge_in(judge: &DocumentJudge, owner: &str, problem: &str) -> Diag {
    let (site, check, what) = match judge {
        DocumentJudge::Function(function) => {
            let site = function.to_token_stream();
            (site, "with = ..".to_owned(), "a function judges")
        }
        DocumentJudge::Crate(name) => {
            let site = name.to_token_stream();
            (site, name.to_string(), "the rules of a crate judge")
        }
    };
    Diag::new(
        &site,
        &rules::CHECK_FIELD,
        format!("`check({check})` on `{owner}`, which {problem}, judges no documents"),
    )
    .help("a rule about each value: `#[check(with = ..)]` on its field")
    .note(format!("{what} every document that a struct describes"))
}

pub(crate) fn compare_constants(comparison: &ComparisonAttr, owner: &str) -> Diag {
    Diag::new(
        &comparison.site,
        &rules::CHECK_FIELD,
        format!("`check(..)` on `{owner}` compares constants"),
    )
    .help("name a field: `check(start < end)`")
}

pub(crate) fn compare_unknown_field(name: &Ident, owner: &str, names: &[String]) -> Diag {
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    Diag::new(
        name,
        &rules::CHECK_FIELD,
        format!("`check(..)` on `{owner}` names `{name}`, and `{owner}` has no such field"),
    )
    .help(expected(&name.to_string(), &names))
}

pub(crate) fn compare_not_stored(name: &Ident, owner: &str) -> Diag {
    Diag::new(
        name,
        &rules::CHECK_FIELD,
        format!("`check(..)` compares `{owner}`, which has no value of its own in the document"),
    )
    .help("compare fields that are stored under a name")
}
