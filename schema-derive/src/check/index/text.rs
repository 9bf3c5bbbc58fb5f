//! Rules on a text index.

use super::stored::{Stored, element_storage, field_storage};
use super::{Index, Key};
use crate::check::allowed;
use crate::ctxt::Ctxt;
use crate::diag;
use crate::ir::{Ir, Row};
use crate::names::unraw;
use crate::rules;
use crate::syntax::KeyKind;

/// The languages that the server's text search knows.
const LANGUAGES: &[&str] = &[
    "none",
    "danish",
    "dutch",
    "english",
    "finnish",
    "french",
    "german",
    "hungarian",
    "italian",
    "norwegian",
    "portuguese",
    "romanian",
    "russian",
    "spanish",
    "swedish",
    "turkish",
    "da",
    "nl",
    "en",
    "fi",
    "fr",
    "de",
    "hu",
    "it",
    "nb",
    "pt",
    "ro",
    "ru",
    "es",
    "sv",
    "tr",
];

pub(super) fn check(ir: &Ir<'_>, index: &Index<'_>, cx: &Ctxt) {
    let owner = index.owner(ir);
    let Some(first) = index.keys.iter().position(is_text) else {
        if let Some(site) = &index.attr.text.site {
            cx.push(diag::idx_text_option(site, &owner));
        }
        return;
    };
    let last = index.keys.iter().rposition(is_text).unwrap_or(first);
    let mut between = index.keys[first..=last].iter();
    if let Some(between) = between.find(|key| !is_text(key)) {
        cx.push(diag::idx_text_apart(&between.tokens, &owner));
    }
    check_combination(index, &owner, cx);
    for key in &index.keys {
        check_key(ir, key, cx);
    }
    check_weights(index, &owner, cx);
    check_language(ir, index, &owner, cx);
}

fn is_text(key: &Key<'_>) -> bool {
    key.kind == KeyKind::Text
}

/// Checks that a text index has no keys of other special kinds, and is neither unique nor sorted by a collation.
fn check_combination(index: &Index<'_>, owner: &str, cx: &Ctxt) {
    let special =
        |key: &&Key<'_>| matches!(key.kind, KeyKind::Geo | KeyKind::Hashed | KeyKind::Wildcard);
    if let Some(other) = index.keys.iter().find(special) {
        let kind = other.kind.name();
        cx.push(diag::idx_text_with(&other.tokens, owner, kind));
    }
    let collation = index.attr.collation.as_ref();
    if let Some(collation) = collation.filter(|collation| collation.locale != "simple") {
        cx.push(diag::idx_text_with(&collation.site, owner, "collation"));
    }
    if let Some(unique) = &index.attr.unique {
        cx.push(diag::idx_text_unique(unique, owner));
    }
}

/// Checks that a key beside the text is no array, and that a key with text holds strings.
fn check_key(ir: &Ir<'_>, key: &Key<'_>, cx: &Ctxt) {
    let is_array = |row: &Row<'_>| field_storage(row) == Stored::Array;
    if key.is_btree() && key.row.is_some_and(is_array) {
        cx.push(diag::idx_text_array(&key.tokens, &key.owner(ir)));
    } else if let Some(row) = key.single_field().filter(|_| is_text(key)) {
        // An array of strings is searched word by word too.
        let found = match field_storage(row) {
            Stored::Array => element_storage(row),
            found => found,
        };
        if found.is_scalar() && found != Stored::String {
            let name = found.name();
            cx.push(diag::idx_text_no_words(&key.tokens, row.owner(), name));
        }
    }
}

/// Checks that weights are given to keys with text.
fn check_weights(index: &Index<'_>, owner: &str, cx: &Ctxt) {
    for (path, _) in &index.attr.text.weights {
        let name = path.iter().map(unraw).collect::<Vec<_>>().join(".");
        let mut texts = index.keys.iter().filter(|key| is_text(key));
        if !texts.any(|key| key.rust() == name) {
            cx.push(diag::idx_text_weight(&path[0], &name, owner));
        }
    }
}

fn check_language(ir: &Ir<'_>, index: &Index<'_>, owner: &str, cx: &Ctxt) {
    if let Some(language) = index.attr.text.default_language.as_deref()
        && !LANGUAGES.contains(&language)
        && !allowed(ir, index.row, &rules::IDX_TEXT_LANGUAGE)
    {
        let site = index.attr.text.site.as_ref().unwrap_or(&index.attr.site);
        cx.push(diag::idx_text_unknown_language(
            site, language, owner, LANGUAGES,
        ));
    }
}
