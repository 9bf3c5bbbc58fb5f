//! Questions that only the types of the fields can answer.

use proc_macro2::TokenStream;

use super::stored::{Stored, field_storage};
use super::{Index, Key, declared};
use crate::check::allowed;
use crate::ir::Ir;
use crate::names::unraw;
use crate::rules;
use crate::syntax::KeyKind;

/// A question about paths of Rust names, which the expansion checks where the types are known.
pub(crate) struct Question {
    pub(crate) asks: Asks,
    pub(crate) paths: Vec<String>,
    /// The tokens that the caret points at.
    pub(crate) tokens: TokenStream,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Asks {
    /// Every segment is a field.
    Key,
    /// The paths do not cross two arrays.
    Parallel,
    /// The field is stored as a date.
    Ttl,
    /// No array is on the path of a key of a hashed index.
    Hashed,
    /// No array is on the path of a key beside text keys.
    BesideText,
    /// No array is on the path of a key of a unique index.
    Unique,
    /// The field can be GeoJSON or a pair.
    Geo,
    /// No document on the path has a field `language`.
    Language,
}

/// All questions for the types, without those that the struct answers by itself.
pub(crate) fn questions(ir: &Ir<'_>) -> Vec<Question> {
    let mut out = Vec::new();
    for index in declared(ir) {
        for key in &index.keys {
            ask_key(ir, &index, key, &mut out);
        }
        let crossing: Vec<&Key<'_>> = index
            .keys
            .iter()
            .filter(|key| key.is_btree() && may_cross(key))
            .collect();
        if let [_, second, ..] = crossing.as_slice()
            && !index.has(KeyKind::Hashed)
            && !index.has(KeyKind::Text)
        {
            let tokens = if crossing.len() == 2 {
                second.tokens.clone()
            } else {
                index.attr.site.clone()
            };
            out.push(Question {
                asks: Asks::Parallel,
                paths: crossing.iter().map(|key| key.rust()).collect(),
                tokens,
            });
        }
        for condition in index
            .attr
            .partial
            .iter()
            .flat_map(|partial| &partial.conditions)
            .filter(|condition| condition.path.len() > 1)
        {
            let path = condition
                .path
                .iter()
                .map(unraw)
                .collect::<Vec<_>>()
                .join(".");
            out.push(Question {
                asks: Asks::Key,
                paths: vec![path],
                tokens: condition.tokens.clone(),
            });
        }
    }
    out
}

fn ask_key(ir: &Ir<'_>, index: &Index<'_>, key: &Key<'_>, out: &mut Vec<Question>) {
    let mut ask = |asks: Asks, tokens: &TokenStream| {
        out.push(Question {
            asks,
            paths: vec![key.rust()],
            tokens: tokens.clone(),
        })
    };
    if key.path.len() > 1 {
        ask(Asks::Key, &key.tokens);
    }
    let unknown = key
        .single_field()
        .is_none_or(|row| field_storage(row) == Stored::Unknown);
    if let (Some(after), true) = (&index.attr.expire_after, unknown) {
        ask(Asks::Ttl, &after.tokens);
    }
    if key.kind == KeyKind::Geo && unknown {
        ask(Asks::Geo, &key.tokens);
    }
    if key.kind == KeyKind::Text
        && key.path.len() > 1
        && index.attr.text.language_override.is_none()
        && !allowed(ir, key.row, &rules::IDX_TEXT_LANGUAGE)
    {
        ask(Asks::Language, &key.tokens);
    }
    if matches!(key.kind, KeyKind::Geo | KeyKind::Text | KeyKind::Wildcard) || !may_cross(key) {
        return;
    }
    if index.has(KeyKind::Hashed) {
        ask(Asks::Hashed, &key.tokens);
    } else if index.has(KeyKind::Text) {
        ask(Asks::BesideText, &key.tokens);
    } else if let Some(site) = &index.attr.unique
        && !allowed(ir, key.row, &rules::IDX_UNIQUE_ARRAY)
    {
        ask(Asks::Unique, site);
    }
}

/// True if an array may be on the path of the key.
fn may_cross(key: &Key<'_>) -> bool {
    match key.single_field() {
        Some(row) => {
            matches!(field_storage(row), Stored::Unknown | Stored::Array)
                && row.parent().is_none()
                && !row.is_id
        }
        None => true,
    }
}
