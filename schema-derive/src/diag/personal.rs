//! Messages about `#[personal]`.

use proc_macro2::Ident;
use quote::ToTokens;

use super::Diag;
use crate::rules;

pub(crate) fn personal_place(span: &dyn ToTokens, owner: &str, why: &str) -> Diag {
    Diag::new(
        span,
        &rules::PERSONAL_FIELD,
        format!("`#[personal]` has no meaning on `{owner}` because {why}"),
    )
    .help("put it on a field of a model with a collection of its own, of an embedded struct, or of a variant's struct")
    .note("an erase updates fields of documents and of their elements, which it finds by the `_id` or by one reference")
}

pub(crate) fn personal_and(span: &dyn ToTokens, owner: &str, other: &str) -> Diag {
    Diag::new(
        span,
        &rules::PERSONAL_FIELD,
        format!("`personal` on `{owner}` contradicts `{other}`"),
    )
    .help("mark the fields that a program sets: copies, lists and numbers of them follow")
    .note("an erase is an update of the field, and no update sets this one")
}

pub(crate) fn personal_of(span: &Ident, owner: &str) -> Diag {
    Diag::new(
        span,
        &rules::PERSONAL_FIELD,
        format!("`of = {span}` of `{owner}` names no reference to one person"),
    )
    .help("a field with `#[parent(User)]`, which holds the `_id` of one `User`")
    .note("an erase finds the documents of a person along the index of the reference")
}

pub(crate) fn personal_kept(span: &dyn ToTokens, owner: &str, missing: &str) -> Diag {
    Diag::new(
        span,
        &rules::PERSONAL_FIELD,
        format!("`{owner}` stays when its person is erased, without `{missing}`"),
    )
    .help("`#[personal(keep_for = \"7y\", reason = \"tax\")]`")
    .note("the certificate of an erase names what stays, for how long and why")
}

pub(crate) fn personal_value(span: &dyn ToTokens, owner: &str) -> Diag {
    Diag::new(
        span,
        &rules::PERSONAL_FIELD,
        format!("`{owner}` has no value when it is erased"),
    )
    .help("an `Option`, which becomes `None`, or `#[personal(erased = \"gone\")]`")
    .note("a document without the field could not be read")
}

pub(crate) fn personal_unique(span: &dyn ToTokens, owner: &str) -> Diag {
    Diag::new(
        span,
        &rules::PERSONAL_FIELD,
        format!(
            "`{owner}` is a key of a unique index, and has the same value in all erased documents"
        ),
    )
    .help("a text with the `_id` of the person: `#[personal(erased = \"gone-{id}\")]`")
    .help("an `Option` under an index that is `sparse`, of this key alone, or `partial`")
    .note("the second erase would be refused as a duplicate")
}
