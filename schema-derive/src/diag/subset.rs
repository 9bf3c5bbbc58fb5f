//! Messages about `new`, `view` and `patch`.

use proc_macro2::Ident;

use super::{Diag, expected};
use crate::rules;
use crate::syntax::{DefaultAttr, Listed, SubsetAttr, SubsetKind};

/// The purpose of the struct.
fn purpose(kind: SubsetKind) -> &'static str {
    match kind {
        SubsetKind::New => "`new` generates a struct without the fields that the library fills in",
        SubsetKind::View => "`view` generates a struct that serde writes as the JSON of an answer",
        SubsetKind::Patch => "`patch` generates a struct of the fields that an update may set",
    }
}

pub(crate) fn subset_is_the_model(attr: &SubsetAttr, owner: &str) -> Diag {
    let (option, usual) = (attr.kind.option(), attr.kind.usual(owner));
    Diag::new(
        &attr.name,
        &rules::ATTR_VALUE,
        format!("`{option}` of `{owner}` names the model itself"),
    )
    .help(format!("`{option} = {usual}`"))
    .note(purpose(attr.kind))
}

pub(crate) fn subset_name_taken(attr: &SubsetAttr, owner: &str) -> Diag {
    let (option, name) = (attr.kind.option(), &attr.name);
    Diag::new(
        name,
        &rules::ATTR_CONFLICT,
        format!("`{option}` of `{owner}` names a struct that the derive writes already: `{name}`"),
    )
    .help(format!("`{option} = {}`", attr.kind.usual(owner)))
    .note(purpose(attr.kind))
}

pub(crate) fn subset_of(attr: &SubsetAttr, owner: &str, problem: &str, help: &str) -> Diag {
    let option = attr.kind.option();
    Diag::new(
        &attr.name,
        &rules::ATTR_CONFLICT,
        format!("`{option}` of `{owner}` has no fields to choose from: `{owner}` {problem}"),
    )
    .help(help.to_owned())
    .note(purpose(attr.kind))
}

pub(crate) fn subset_skip_and_only(attr: &SubsetAttr, only: &[Listed], owner: &str) -> Diag {
    let (option, name) = (attr.kind.option(), &attr.name);
    let names: Vec<String> = only.iter().map(|listed| listed.field.to_string()).collect();
    Diag::new(
        name,
        &rules::ATTR_CONFLICT,
        format!("`{option}({name}, ..)` of `{owner}` has `skip(..)` and `only(..)`"),
    )
    .help(format!("`{option}({name}, only({}))`", names.join(", ")))
    .note("`only` lists the fields that the struct has, `skip` those that it does not have")
}

pub(crate) fn subset_unknown_field(
    word: &Ident,
    attr: &SubsetAttr,
    owner: &str,
    names: &[String],
) -> Diag {
    let (option, name) = (attr.kind.option(), &attr.name);
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    Diag::new(
        word,
        &rules::ATTR_VALUE,
        format!("`{option}({name}, ..)` names `{word}`, and `{owner}` has no such field"),
    )
    .help(expected(&word.to_string(), &names))
}

pub(crate) fn subset_no_part(word: &Ident, attr: &SubsetAttr, field: &str, reason: &str) -> Diag {
    let (option, name) = (attr.kind.option(), &attr.name);
    Diag::new(
        word,
        &rules::ATTR_VALUE,
        format!("`{option}({name}, ..)` names `{field}`, which no `{option}` has"),
    )
    .help(format!("remove `{word}`: {reason}"))
    .note(purpose(attr.kind))
}

pub(crate) fn subset_left_out(word: &Ident, attr: &SubsetAttr, owner: &str) -> Diag {
    let (option, name) = (attr.kind.option(), &attr.name);
    Diag::new(
        word,
        &rules::ATTR_CONFLICT,
        format!(
            "`{option}({name}, ..)` of `{owner}` leaves `{word}` out, and has it in `nested(..)`"
        ),
    )
    .help(format!(
        "remove `{word}` from `nested(..)`, or let `{name}` have it"
    ))
    .note(purpose(attr.kind))
}

pub(crate) fn subset_empty(attr: &SubsetAttr, owner: &str) -> Diag {
    let (option, name) = (attr.kind.option(), &attr.name);
    let note = match attr.kind {
        SubsetKind::Patch => {
            "a patch has the fields that `set` takes: not the `_id`, and none that the library keeps"
        }
        SubsetKind::New | SubsetKind::View => purpose(attr.kind),
    };
    let help = match attr.skip.is_empty() {
        true => "remove it",
        false => "remove it, or take a field out of `skip(..)`",
    };
    Diag::new(
        name,
        &rules::ATTR_CONFLICT,
        format!("`{option}` of `{owner}` leaves `{name}` no field"),
    )
    .help(help)
    .note(note)
}

pub(crate) fn subset_flattened(attr: &SubsetAttr, field: &str, rust: &str) -> Diag {
    let name = &attr.name;
    Diag::new(
        name,
        &rules::ATTR_CONFLICT,
        format!("`{name}` cannot be read from JSON: `{field}` is flattened"),
    )
    .help(format!("`new({name}, skip({rust}), deserialize)`"))
    .note("the JSON of a new document has no field that its struct does not name")
}

pub(crate) fn subset_two_ids(attr: &SubsetAttr, field: &str, rust: &str) -> Diag {
    let (option, name) = (attr.kind.option(), &attr.name);
    Diag::new(
        name,
        &rules::ATTR_CONFLICT,
        format!("`{name}` has two fields `id` in JSON: the `_id` and `{field}`"),
    )
    .help(format!("`{option}({name}, skip({rust}))`"))
    .note("JSON has the `_id` as `id`, and the other fields as serde names them")
}

pub(crate) fn subset_same_name(attr: &SubsetAttr, word: &Ident, owner: &str) -> Diag {
    let (option, name) = (attr.kind.option(), &attr.name);
    Diag::new(
        word,
        &rules::ATTR_CONFLICT,
        format!("`{option}({name}, ..)` of `{owner}` has two fields `{word}`"),
    )
    .help("give one of them another name")
    .note("a field of `only(a as b)` and a value of `with(b: i64)` stand beside the other fields of the struct")
}

const DEFAULT: &str = "`#[default(..)]` is the value of a new document that is not given the field; serde's `default` is that of a stored one without it";

pub(crate) fn default_without_new(
    default: &DefaultAttr,
    field: &str,
    owner: &str,
    can_have_new: bool,
) -> Diag {
    let diag = Diag::new(
        &default.site,
        &rules::ATTR_PLACE,
        format!("`#[default(..)]` has no meaning on `{field}`: `{owner}` has no `new`"),
    );
    let help = if can_have_new {
        let usual = SubsetKind::New.usual(owner);
        format!("`#[model(new({usual}, deserialize))]`")
    } else {
        "remove it: only a model that is a struct has a `new`".to_owned()
    };
    diag.help(help).note(DEFAULT)
}

pub(crate) fn default_no_part(default: &DefaultAttr, field: &str, reason: &str) -> Diag {
    Diag::new(
        &default.site,
        &rules::ATTR_PLACE,
        format!("`#[default(..)]` has no meaning on `{field}`, which no `new` has"),
    )
    .help(format!("remove it: {reason}"))
    .note(DEFAULT)
}

pub(crate) fn default_always_given(
    default: &DefaultAttr,
    attr: &SubsetAttr,
    field: &str,
    rust: &str,
) -> Diag {
    let name = &attr.name;
    Diag::new(
        &default.site,
        &rules::ATTR_PLACE,
        format!("`#[default(..)]` has no meaning on `{field}`: every `{name}` has a value for it"),
    )
    .help(format!(
        "`new({name}, deserialize)`, to read `{name}` from JSON, or `new({name}, skip({rust}))`"
    ))
    .note(DEFAULT)
}
