//! Messages about how an attribute is written.

use proc_macro2::{Ident, TokenStream};
use quote::ToTokens;

use super::Diag;
use crate::rules;
use crate::syntax::Kind;

/// `a`, `b` or `c` in backticks, in the given order.
pub(crate) fn list(words: &[&str]) -> String {
    words
        .iter()
        .map(|word| format!("`{word}`"))
        .collect::<Vec<_>>()
        .join(", ")
}

/// The word of `known` that `written` most likely stands for.
pub(crate) fn nearest<'a>(written: &str, known: &[&'a str]) -> Option<&'a str> {
    known
        .iter()
        .map(|word| (strsim::damerau_levenshtein(written, word), *word))
        .filter(|(distance, word)| {
            *distance <= 2 && *distance < word.len()
                || (written.len() > 2 && word.starts_with(written))
        })
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, word)| word)
}

/// "did you mean", or the list of what is possible.
pub(crate) fn expected(written: &str, known: &[&str]) -> String {
    match nearest(written, known) {
        Some(word) => format!("did you mean `{word}`?"),
        None if known.len() == 1 => format!("expected {}", list(known)),
        None => format!("expected one of {}", list(known)),
    }
}

pub(crate) fn unknown_option(key: &Ident, attr: &str, owner: &str, known: &[&str]) -> Diag {
    Diag::new(
        key,
        &rules::ATTR_UNKNOWN,
        format!(
            "unknown option `{key}` for {} on `{owner}`",
            attribute(attr)
        ),
    )
    .help(meant(key, attr).unwrap_or_else(|| expected(&key.to_string(), known)))
}

/// The probable meaning of an unknown option that is no misspelling.
fn meant(key: &Ident, attr: &str) -> Option<String> {
    let word = key.to_string();
    let is_type = word.starts_with(char::is_uppercase);
    match (attr, word.as_str()) {
        ("check", "on") => {
            Some("it stands beside the others: `check(each(..), on = write)`".to_owned())
        }
        ("check", "min" | "max" | "gt" | "lt" | "gte" | "lte") => {
            Some("a range of numbers: `range = 0..=100`".to_owned())
        }
        ("check", "length" | "min_len" | "max_len") => {
            Some("a range of lengths: `len = 3..=80`".to_owned())
        }
        ("check", "regex" | "matches") => Some("`pattern = \"^[a-z]+$\"`".to_owned()),
        ("refs" | "parent" | "recent" | "count" | "sum" | "avg" | "min" | "max", _) if is_type => {
            Some(format!("the model comes first: `#[{attr}({word}, ..)]`"))
        }
        ("count", "field") => Some("a sum of a field: `#[sum(.., field = ..)]`".to_owned()),
        ("denorm", _) if is_type => Some(format!("the source has a name: `from = {word}`")),
        ("refs", "deny" | "pull" | "cascade" | "keep")
        | ("parent", "deny" | "cascade" | "unset" | "keep") => {
            Some(format!("write `on_delete = {word}`"))
        }
        ("allow", _) if rules::RULES.iter().any(|rule| rule.name() == word) => {
            Some(format!("one rule each: `allow({word}, reason = \"..\")`"))
        }
        _ => None,
    }
}

/// The name of an attribute in messages: a list inside one has no `#[..]` of its own.
fn attribute(attr: &str) -> String {
    match attr {
        "access" | "allow" | "collation" | "history" | "new" | "options" | "partial" | "patch"
        | "view" => {
            format!("`{attr}(..)`")
        }
        _ => format!("`#[{attr}(..)]`"),
    }
}

pub(crate) fn duplicate_option(key: &dyn ToTokens, name: &str, attr: &str, owner: &str) -> Diag {
    Diag::new(
        key,
        &rules::ATTR_DUPLICATE,
        format!(
            "option `{name}` of {} on `{owner}` is given twice",
            attribute(attr)
        ),
    )
    .help("remove one of them")
}

pub(crate) fn duplicate_attribute(site: &dyn ToTokens, attr: &str, owner: &str) -> Diag {
    Diag::new(
        site,
        &rules::ATTR_DUPLICATE,
        format!("`#[{attr}]` appears twice on `{owner}`"),
    )
    .help("write one attribute with all options")
}

pub(crate) fn missing_option(
    site: &dyn ToTokens,
    option: &str,
    attr: &str,
    owner: &str,
    form: &str,
) -> Diag {
    Diag::new(
        site,
        &rules::ATTR_MISSING,
        format!(
            "{} on `{owner}` lacks the option `{option}`",
            attribute(attr)
        ),
    )
    .help(format!("the correct form is `{form}`"))
}

/// `#[refs(..)]` or `#[parent(..)]` without a model, or with something else in its place.
pub(crate) fn missing_target(site: &dyn ToTokens, attr: &str, owner: &str, form: &str) -> Diag {
    Diag::new(
        site,
        &rules::ATTR_MISSING,
        format!("`#[{attr}(..)]` on `{owner}` names no model"),
    )
    .help(format!("the correct form is `{form}`"))
}

pub(crate) fn bad_target(target: &dyn ToTokens, attr: &str, owner: &str, form: &str) -> Diag {
    Diag::new(
        target,
        &rules::ATTR_VALUE,
        format!("`#[{attr}(..)]` on `{owner}` takes the path of a model"),
    )
    .help(format!("the correct form is `{form}`"))
}

/// An option of the item on a field, or of a model on an embedded document.
pub(crate) fn option_misplaced(
    key: &dyn ToTokens,
    option: &str,
    owner: &str,
    belongs: &str,
) -> Diag {
    Diag::new(
        key,
        &rules::ATTR_PLACE,
        format!("option `{option}` of `#[model(..)]` has no meaning on `{owner}`"),
    )
    .help(belongs)
}

/// An option that has a value, written without one, or the other way round, or with the wrong kind of value.
pub(crate) fn bad_value(
    value: &dyn ToTokens,
    option: &str,
    attr: &str,
    owner: &str,
    wants: &str,
    form: &str,
) -> Diag {
    Diag::new(
        value,
        &rules::ATTR_VALUE,
        format!(
            "option `{option}` of {} on `{owner}` takes {wants}",
            attribute(attr)
        ),
    )
    .help(format!("the correct form is `{form}`"))
}

pub(crate) fn bad_word(
    word: &Ident,
    option: &str,
    attr: &str,
    owner: &str,
    known: &[&str],
) -> Diag {
    Diag::new(
        word,
        &rules::ATTR_VALUE,
        format!(
            "`{word}` is not a value of option `{option}` of {} on `{owner}`",
            attribute(attr)
        ),
    )
    .help(expected(&word.to_string(), known))
}

/// An option with a value that it cannot have: `read_concern = most`
pub(crate) fn option_value(site: &TokenStream, key: &str, owner: &str, known: &[&str]) -> Diag {
    let known: Vec<String> = known.iter().map(|value| format!("`{value}`")).collect();
    Diag::new(
        site,
        &rules::ATTR_SHAPE,
        format!("`{key}` on `{owner}` cannot be `{site}`"),
    )
    .help(format!("expected one of {}", known.join(", ")))
}

/// The attribute as a whole has the wrong shape: brackets, bare word, `= ..`, an empty list.
pub(crate) fn bad_shape(
    site: &dyn ToTokens,
    problem: &str,
    attr: &str,
    owner: &str,
    form: &str,
) -> Diag {
    Diag::new(
        site,
        &rules::ATTR_SHAPE,
        format!(
            "{} on `{owner}` {problem}",
            attribute(attr).replace("(..)", "")
        ),
    )
    .help(format!("the correct form is `{form}`"))
}

/// The attribute stands where it means nothing.
pub(crate) fn misplaced(site: &dyn ToTokens, attr: &str, owner: &str, belongs: &str) -> Diag {
    Diag::new(
        site,
        &rules::ATTR_PLACE,
        format!("`#[{attr}]` has no meaning on `{owner}`"),
    )
    .help(format!("it belongs {belongs}"))
}

/// Options that exclude each other; the later one carries the message.
pub(crate) fn conflict(
    site: &dyn ToTokens,
    later: &str,
    earlier: &str,
    owner: &str,
    why: &str,
) -> Diag {
    Diag::new(
        site,
        &rules::ATTR_CONFLICT,
        format!("`{later}` on `{owner}` contradicts `{earlier}`"),
    )
    .note(why)
}

/// A part of the design that is declared but whose run time is not there yet: refused, never ignored.
pub(crate) fn not_yet(site: &dyn ToTokens, what: &str, owner: &str) -> Diag {
    Diag::new(
        site,
        &rules::NOT_YET,
        format!("{what} on `{owner}` is not implemented yet"),
    )
    .help("remove it for now; it is refused so that it is never silently ignored")
}

pub(crate) fn allow_without_reason(site: &dyn ToTokens, rule: &str, owner: &str) -> Diag {
    Diag::new(
        site,
        &rules::ATTR_REASON,
        format!("`{rule}` on `{owner}` needs a reason"),
    )
    .help(format!(
        "`allow({rule}, reason = \"why this is right here\")`"
    ))
}

pub(crate) fn allow_unknown(word: &Ident, owner: &str, known: &[&str]) -> Diag {
    Diag::new(
        word,
        &rules::ATTR_UNKNOWN,
        format!("no rule is named `{word}` (in `allow(..)` on `{owner}`)"),
    )
    .help(nearest(&word.to_string(), known).map_or_else(
        || "`cargo mongo-model rules` lists them; names are the codes in lower case".to_owned(),
        |word| format!("did you mean `{word}`?"),
    ))
}

pub(crate) fn allow_hard(word: &Ident, owner: &str) -> Diag {
    Diag::new(
        word,
        &rules::ALLOW_HARD,
        format!("rule `{word}` cannot be allowed (on `{owner}`)"),
    )
    .note("the server would refuse the schema, or data would be lost silently")
}

pub(crate) fn allow_unused(word: &Ident, owner: &str) -> Diag {
    Diag::new(
        word,
        &rules::UNUSED_ALLOW,
        format!("`allow({word}, ..)` on `{owner}` suppresses nothing"),
    )
    .help("remove it")
}

pub(crate) fn no_collection(site: &dyn ToTokens, owner: &str) -> Diag {
    Diag::new(
        site,
        &rules::ATTR_MISSING,
        format!("model `{owner}` does not name its collection"),
    )
    .help(format!(
        "`#[model(collection = \"{}s\")]`",
        owner.to_lowercase()
    ))
}

pub(crate) fn shape(ident: &Ident, kind: Kind, owner: &str) -> Diag {
    match kind {
        Kind::Model => Diag::new(
            ident,
            &rules::SHAPE,
            format!(
                "`MongoModel` on `{owner}` needs a struct with named fields, or an enum with a tag"
            ),
        )
        .help("for documents of several kinds: `#[serde(tag = \"kind\")]` on an enum of structs")
        .note("a document is a list of named fields"),
        Kind::Embed => Diag::new(
            ident,
            &rules::SHAPE,
            format!(
                "`MongoEmbed` on `{owner}` needs a struct with named fields or one unnamed field, or an enum"
            ),
        ),
    }
}

pub(crate) fn generic_model(span: &dyn ToTokens, owner: &str) -> Diag {
    Diag::new(span, &rules::SHAPE, format!("model `{owner}` is generic"))
        .help("make the varying part an embedded document: generic `MongoEmbed` types work")
        .note("a generic model can be neither registered nor checked: its collection, indexes and sizes would depend on the parameter")
}

pub(crate) fn tuple_variant(ident: &Ident, owner: &str) -> Diag {
    Diag::new(
        ident,
        &rules::SHAPE,
        format!("variant `{owner}` has several unnamed fields"),
    )
    .help(format!("name them: `{} {{ .. }}`", ident))
}
