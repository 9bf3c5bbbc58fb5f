//! Messages about two-way references, and about lists and counts of children.

use proc_macro2::Ident;
use quote::ToTokens;
use syn::{Path, Type};

use super::{Diag, grouped, path_text, type_text};
use crate::rules;

pub(crate) fn inverse_in_embed(span: &Ident, owner: &str) -> Diag {
    Diag::new(
        span,
        &rules::ATTR_PLACE,
        format!(
            "`inverse = {span}` has no meaning on `{owner}` because it is in an embedded document"
        ),
    )
    .help("put the reference on the model itself, or remove `inverse`")
    .note("a two-way reference leads from document to document and back")
}

pub(crate) fn inverse_by_key(span: &Ident, key: &Ident, owner: &str) -> Diag {
    Diag::new(
        span,
        &rules::ATTR_CONFLICT,
        format!("`inverse = {span}` on `{owner}` contradicts `key = {key}`"),
    )
    .help("refer by the `_id`, or remove `inverse`")
    .note("both sides of a two-way reference hold an `_id`, which never changes")
}

pub(crate) fn inverse_map(span: &Ident, owner: &str) -> Diag {
    Diag::new(
        span,
        &rules::REFS_MAP,
        format!("`inverse = {span}` on `{owner}` would put references into a map"),
    )
    .help("hold the ids in an array, or remove `inverse`")
    .note("what a map says beside a reference is not known when the other side adds one")
}

pub(crate) fn both_derived(span: &dyn ToTokens, number: &str, owner: &str) -> Diag {
    Diag::new(
        span,
        &rules::ATTR_CONFLICT,
        format!("`recent` on `{owner}` contradicts `{number}`"),
    )
    .help("one field for the list, and one for the number")
}

pub(crate) fn both_numbers(span: &dyn ToTokens, number: &str, owner: &str) -> Diag {
    Diag::new(
        span,
        &rules::ATTR_CONFLICT,
        format!("`{owner}` is a `{number}` already"),
    )
    .help("a field of its own for each number")
}

pub(crate) fn count_max_and_only(span: &dyn ToTokens, owner: &str) -> Diag {
    Diag::new(
        span,
        &rules::ATTR_CONFLICT,
        format!("`max` on `{owner}` contradicts `only`"),
    )
    .help("a count of all children for the bound, and one with `only` beside it")
    .note(
        "a document takes its place when it is stored, and would need one whenever a field changes",
    )
}

pub(crate) fn count_max_number(span: &dyn ToTokens, owner: &str) -> Diag {
    Diag::new(
        span,
        &rules::COUNT_MAX,
        format!("`max` of `{owner}` is no number of documents"),
    )
    .help("a number from 1: `max = 300`, or the field that has it: `max = seats`")
}

pub(crate) fn count_max_unknown(field: &Ident, owner: &str, model: &str) -> Diag {
    Diag::new(
        field,
        &rules::COUNT_MAX,
        format!("`max = {field}` on `{owner}` names no field of `{model}`"),
    )
    .help(format!(
        "add `{field}: i64` to `{model}`, or give a number: `max = 300`"
    ))
}

pub(crate) fn count_max_kept(field: &Ident, owner: &str) -> Diag {
    Diag::new(
        field,
        &rules::COUNT_MAX,
        format!("`max = {field}` on `{owner}` names a field that the program does not write by itself"),
    )
    .help("name a plain field")
    .note("the bound is compared in the update that reserves a place, and a copy or a number may be late there")
}

pub(crate) fn derived_and(span: &dyn ToTokens, name: &str, other: &str, owner: &str) -> Diag {
    let diag = Diag::new(
        span,
        &rules::ATTR_CONFLICT,
        format!("`{name}` on `{owner}` contradicts `{other}`"),
    );
    if other == "embed" {
        diag.help("remove `embed`: `max` of `recent` bounds the list, and a number has no bound")
    } else {
        diag.help(format!("a field of its own for `{name}`"))
    }
    .note("the field follows from its children alone")
}

pub(crate) fn derived_in_embed(span: &dyn ToTokens, name: &str, owner: &str) -> Diag {
    Diag::new(
        span,
        &rules::ATTR_PLACE,
        format!(
            "`#[{name}(..)]` has no meaning on `{owner}` because it is in an embedded document"
        ),
    )
    .help("put the field on the model itself")
    .note("children refer to the document as a whole")
}

pub(crate) fn derived_with(span: &dyn ToTokens, name: &str, owner: &str) -> Diag {
    Diag::new(
        span,
        &rules::ATTR_CONFLICT,
        format!("`{name}` on `{owner}` contradicts its `#[serde(with = ..)]`"),
    )
    .help("remove the serde attribute")
    .note("the field is written from its children or from its other side, on the server, in the form that its type has")
}

pub(crate) fn recent_field_type(span: &Type, owner: &str, child: &Path) -> Diag {
    let (written, child) = (type_text(span), path_text(child));
    let entry = child.rsplit("::").next().unwrap_or_default();
    Diag::new(
        span,
        &rules::RECENT_FIELD_TYPE,
        format!("`{owner}` lists the last `{child}` documents, but its type `{written}` is no array of an entry to be generated"),
    )
    .help(format!("name the entry by one identifier of its own: `Vec<Recent{entry}>`"))
    .note("a `#[recent]` generates a struct with the id and the fields that are shown")
}

pub(crate) fn recent_id(span: &Ident, owner: &str, child: &Path) -> Diag {
    Diag::new(
        span,
        &rules::DENORM_ID,
        format!(
            "`{owner}` shows `{span}`, but its entry always holds the id of its `{}`",
            path_text(child)
        ),
    )
    .help("remove it: the entry has a field `id`")
    .note("an `_id` never changes: a copy of it is a reference")
}

pub(crate) fn recent_twice(span: &Ident, owner: &str) -> Diag {
    Diag::new(
        span,
        &rules::ATTR_DUPLICATE,
        format!("`{owner}` shows `{span}` twice"),
    )
    .help("remove one of them")
}

pub(crate) fn recent_too_many(
    span: &dyn ToTokens,
    owner: &str,
    max: u64,
    child: &Path,
    allowable: bool,
) -> Diag {
    let child = path_text(child);
    let diag = Diag::new(
        span,
        &rules::RECENT_TOO_MANY,
        format!(
            "`{owner}` lists the last {} `{child}` documents, over {}",
            grouped(max),
            if allowable {
                "the limit of 5 000"
            } else {
                "the 10 000 that Atlas reports as an unbounded array"
            }
        ),
    )
    .help(format!(
        "list fewer, and load the others: `{child}::by_..(..).limit({max})`"
    ));
    let diag = if allowable {
        diag.help("to keep it: `#[model(allow(recent_too_many, reason = \"why this is read together\"))]`")
    } else {
        diag
    };
    diag.note("each new child sorts and rewrites the list: 8 ms at 1 000, 51 ms at 5 000")
}
