//! Messages about `#[index(vector(..))]`.

use proc_macro2::Ident;
use quote::ToTokens;

use super::Diag;
use crate::rules;

/// The most dimensions that the server takes.
pub(crate) const DIMENSIONS: u64 = 8_192;

const ALONE: &str =
    "a search takes the index by its field and compares its vectors; it has no order and no keys";

pub(crate) fn vector_with(span: &dyn ToTokens, owner: &str) -> Diag {
    Diag::new(
        span,
        &rules::IDX_VECTOR,
        format!("this option has no meaning beside `vector` on `{owner}`"),
    )
    .help("`#[index(vector(1536, cosine), filter(shop))]`, and for other filters a second `#[index(..)]`")
    .note(ALONE)
}

pub(crate) fn vector_twice(span: &dyn ToTokens, owner: &str) -> Diag {
    Diag::new(
        span,
        &rules::IDX_VECTOR,
        format!("`{owner}` has two indexes of vectors"),
    )
    .help("remove one")
    .note(ALONE)
}

pub(crate) fn vector_similarity(word: &Ident, owner: &str, known: &[&str]) -> Diag {
    Diag::new(
        word,
        &rules::IDX_VECTOR,
        format!("`{word}` is no similarity by which the index on `{owner}` can compare vectors"),
    )
    .help(format!("one of `{}`", known.join("`, `")))
    .note("the similarity for which the embeddings were made gives the right order")
}

pub(crate) fn vector_place(span: &dyn ToTokens, owner: &str, why: &str) -> Diag {
    Diag::new(
        span,
        &rules::IDX_VECTOR,
        format!("`vector` has no meaning on `{owner}` because {why}"),
    )
    .help("put it on a `mongo_model::vector::Vector` at the top of a model that is a struct with a collection of its own")
    .note("a search returns whole documents of one collection")
}

pub(crate) fn vector_dimensions(span: &dyn ToTokens, owner: &str, dimensions: u64) -> Diag {
    Diag::new(
        span,
        &rules::IDX_VECTOR,
        format!("the index on `{owner}` has {dimensions} dimensions"),
    )
    .help(format!("from 1 to {DIMENSIONS}"))
    .note("the server takes no other number")
}

pub(crate) fn vector_filter(span: &Ident, owner: &str) -> Diag {
    Diag::new(
        span,
        &rules::IDX_VECTOR,
        format!(
            "`{span}` is no stored field of the model of `{owner}` that its index could filter by"
        ),
    )
    .help("name fields at the top of the model")
    .note("a search selects documents by these fields before it compares vectors")
}
