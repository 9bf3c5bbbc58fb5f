//! Messages about `soft_delete` and `#[deleted]`.

use quote::ToTokens;

use super::Diag;
use crate::rules;

const FIELD: &str = "`#[deleted] deleted_at: Option<bson::DateTime>`";

pub(crate) fn soft_delete_without_field(span: &dyn ToTokens, owner: &str) -> Diag {
    Diag::new(
        span,
        &rules::SOFT_DELETE_FIELD,
        format!("`{owner}` marks its documents as deleted, and has no field that holds the time"),
    )
    .help(format!("add {FIELD}"))
}

pub(crate) fn deleted_without_model(span: &dyn ToTokens, owner: &str) -> Diag {
    Diag::new(
        span,
        &rules::SOFT_DELETE_FIELD,
        format!(
            "`#[deleted]` on `{owner}` has no effect: a delete of the model removes the document"
        ),
    )
    .help("`#[model(soft_delete)]` on the model")
}

pub(crate) fn soft_delete_with(span: &dyn ToTokens, owner: &str, other: &str) -> Diag {
    Diag::new(
        span,
        &rules::SOFT_DELETE_WITH,
        format!("`{owner}` {other}, and cannot have `soft_delete`"),
    )
    .help("remove `soft_delete`: a delete then removes the document")
    .note("queries of enums, buckets, queues and shared collections do not leave out documents that are marked as deleted")
}

pub(crate) fn soft_delete_sparse(span: &dyn ToTokens, owner: &str) -> Diag {
    Diag::new(
        span,
        &rules::SOFT_DELETE_WITH,
        format!("the unique index on `{owner}` is `sparse`, and its model has `soft_delete`"),
    )
    .help("a condition in the place of `sparse`: `#[index(unique, partial(exists))]`")
    .note("a unique index of such a model covers live documents alone, which makes it partial; the server has none that is partial and sparse")
}
