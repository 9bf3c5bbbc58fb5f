//! Messages about `events(..)`.

use proc_macro2::Ident;

use super::Diag;
use crate::rules;

pub(crate) fn events_bucket(span: &Ident, owner: &str) -> Diag {
    Diag::new(
        span,
        &rules::ATTR_CONFLICT,
        format!("`events` of `{owner}` contradicts `bucket`"),
    )
    .help("remove `events`: events are about a document, and a bucket is a part of its parent; emit them with updates of the parent")
}

pub(crate) fn reader_twice(span: &Ident, owner: &str) -> Diag {
    Diag::new(
        span,
        &rules::ATTR_CONFLICT,
        format!("`{span}` is named twice among the readers of the events of `{owner}`"),
    )
    .help("remove one: each reader gets every event")
}
