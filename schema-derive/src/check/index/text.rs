//! Rules on a text index.

use super::stored::{Stored, element, stored};
use super::{Index, Key};
use crate::check::allowed;
use crate::ctxt::Ctxt;
use crate::diag;
use crate::names::unraw;
use crate::rules;
use crate::syntax::{Item, KeyKind};

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

pub(super) fn check(item: &Item, index: &Index<'_>, cx: &Ctxt) {
    let owner = index.owner(item);
    let is_text = |key: &&Key<'_>| key.kind == KeyKind::Text;
    let Some(first) = index.keys.iter().position(|key| is_text(&key)) else {
        if let Some(site) = &index.attr.text.site {
            cx.push(diag::idx_text_option(site, &owner));
        }
        return;
    };
    let last = index
        .keys
        .iter()
        .rposition(|key| is_text(&key))
        .unwrap_or(first);
    if let Some(between) = index.keys[first..=last]
        .iter()
        .find(|key| key.kind != KeyKind::Text)
    {
        cx.push(diag::idx_text_apart(&between.tokens, &owner));
    }
    if let Some(other) = index
        .keys
        .iter()
        .find(|key| matches!(key.kind, KeyKind::Geo | KeyKind::Hashed | KeyKind::Wildcard))
    {
        cx.push(diag::idx_text_with(
            &other.tokens,
            &owner,
            other.kind.name(),
        ));
    }
    if let Some(collation) = index
        .attr
        .collation
        .as_ref()
        .filter(|collation| collation.locale != "simple")
    {
        cx.push(diag::idx_text_with(&collation.site, &owner, "collation"));
    }
    if let Some(unique) = &index.attr.unique {
        cx.push(diag::idx_text_unique(unique, &owner));
    }
    for key in &index.keys {
        if key.btree()
            && key
                .field
                .is_some_and(|field| stored(field) == Stored::Array)
        {
            cx.push(diag::idx_text_array(&key.tokens, &key.owner(item)));
        } else if let Some(field) = key.own().filter(|_| key.kind == KeyKind::Text) {
            // An array of strings is searched word by word too.
            let found = match stored(field) {
                Stored::Array => element(field),
                found => found,
            };
            if found.scalar() && found != Stored::String {
                cx.push(diag::idx_text_no_words(
                    &key.tokens,
                    &field.owner,
                    found.name(),
                ));
            }
        }
    }
    for (path, _) in &index.attr.text.weights {
        let name = path.iter().map(unraw).collect::<Vec<_>>().join(".");
        if !index
            .keys
            .iter()
            .any(|key| key.kind == KeyKind::Text && key.rust() == name)
        {
            cx.push(diag::idx_text_weight(&path[0], &name, &owner));
        }
    }
    if let Some(language) = index.attr.text.default_language.as_deref()
        && !LANGUAGES.contains(&language)
        && !allowed(item, index.field, &rules::IDX_TEXT_LANGUAGE)
    {
        let site = index.attr.text.site.as_ref().unwrap_or(&index.attr.site);
        cx.push(diag::idx_text_unknown_language(
            site, language, &owner, LANGUAGES,
        ));
    }
}
