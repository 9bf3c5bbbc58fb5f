//! Messages about documents of periods.

use proc_macro2::Ident;
use quote::ToTokens;
use syn::{LitStr, Type};

use super::grammar::nearest;
use super::{Diag, path_text, type_text};
use crate::names;
use crate::rules;
use crate::syntax::CountAttr;

/// The way in which the server finds the document that a child belongs to.
const BY_ID: &str =
    "the library stores the document with its first child, by the child's reference and date alone";

pub(crate) fn period_zone(span: &LitStr, owner: Option<&str>, known: &[&str]) -> Diag {
    let written = span.value();
    let of = owner.map_or_else(String::new, |owner| format!(" of `{owner}`"));
    let diag = Diag::new(
        span,
        &rules::PERIOD_ZONE,
        format!("`{written}`{of} is no time zone of the IANA database"),
    );
    let city = known.iter().copied().find(|zone| {
        let city = zone.rsplit('/').next().unwrap_or_default();
        city.eq_ignore_ascii_case(&written.replace(' ', "_"))
    });
    let any_case = known
        .iter()
        .copied()
        .find(|zone| zone.eq_ignore_ascii_case(&written));
    match any_case.or(city).or_else(|| nearest(&written, known)) {
        Some(meant) => diag.help(format!("did you mean `{meant}`?")),
        None => diag.help("name a continent and a city: `Europe/Rome`, or `UTC`"),
    }
    .note("a zone knows when its clocks change; an offset does not")
}

pub(crate) fn period_place(span: &dyn ToTokens, owner: &str) -> Diag {
    Diag::new(
        span,
        &rules::ATTR_PLACE,
        format!(
            "`#[period(..)]` has no meaning on `{owner}` because it is not the `_id` of a model"
        ),
    )
    .help("put it on the `_id`: `id: Period<Shop>`")
    .note(BY_ID)
}

pub(crate) fn period_type(span: &Type, owner: &str) -> Diag {
    Diag::new(
        span,
        &rules::PERIOD_FIELD,
        format!(
            "`{owner}` is the `_id` of a period, but its type `{}` is no `Period<..>`",
            type_text(span)
        ),
    )
    .help("name the model whose children are added up: `Period<Shop>`")
    .note("the `_id` is the parent and the beginning of the period")
}

pub(crate) fn period_at(span: &Ident, owner: &str, model: &str) -> Diag {
    Diag::new(
        span,
        &rules::PERIOD_FIELD,
        format!("`at = {span}` on `{owner}` has no meaning because `{model}` stands for no period"),
    )
    .help(format!(
        "remove it, or put `#[period(per = day, zone = \"Europe/Rome\")]` on the `_id` of `{model}`"
    ))
    .note("`at` names the date that says to which period a child belongs")
}

pub(crate) fn period_no_at(span: &dyn ToTokens, number: &CountAttr, owner: &str) -> Diag {
    let (name, child) = (number.name(), path_text(&number.child));
    let field = number.added.as_deref().map(names::dotted);
    let field = field.map_or_else(String::new, |field| format!(", field = {field}"));
    Diag::new(
        span,
        &rules::PERIOD_FIELD,
        format!("`{owner}` does not say by which date a `{child}` belongs to a period"),
    )
    .help(format!(
        "name it: `#[{name}({child}{field}, at = sold_at)]`"
    ))
    .note("a document of a period has the numbers and extremes of the children whose date is in it")
}

pub(crate) fn period_bound(span: &dyn ToTokens, owner: &str) -> Diag {
    Diag::new(
        span,
        &rules::PERIOD_FIELD,
        format!("`{owner}` counts the children of a period, and has a bound"),
    )
    .help("remove `max`, or count all children in the parent: `#[count(.., max = ..)]` there")
    .note("a place is reserved in a document that is there before the child")
}

pub(crate) fn period_other_field(span: &Ident, owner: &str) -> Diag {
    Diag::new(
        span,
        &rules::PERIOD_FIELD,
        format!("`{owner}` is no number of the children of a period"),
    )
    .help("remove it, or put it into the parent; a number says so: `#[count(Sale, at = sold_at)]`")
    .note(BY_ID)
}

pub(crate) fn period_queue(span: &dyn ToTokens, owner: &str) -> Diag {
    Diag::new(
        span,
        &rules::PERIOD_FIELD,
        format!("`queue` on `{owner}` contradicts the period that it stands for"),
    )
    .help("remove `queue`")
    .note(BY_ID)
}
