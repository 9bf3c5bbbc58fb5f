//! Messages about `tree(..)` and `#[ancestors]`.

use quote::ToTokens;

use super::Diag;
use crate::rules;

/// The tree of `owner` has a mistake, of which `help` says the way out.
pub(crate) fn tree(span: &dyn ToTokens, owner: &str, problem: &str, help: &str) -> Diag {
    Diag::new(span, &rules::TREE, format!("`{owner}` {problem}"))
        .help(help)
        .note("the library stores the ids of all ancestors in each document of a tree, so that one indexed command reads a subtree")
}
