//! Indexes of special kinds: text, hashed, wildcard, 2dsphere, and those that delete.

use proc_macro2::Ident;
use quote::ToTokens;
use syn::Type;

use super::super::{Diag, expected, grouped, type_text};
use crate::rules;

pub(crate) fn idx_ttl_range(site: &dyn ToTokens, owner: &str, max: u64) -> Diag {
    Diag::new(
        site,
        &rules::IDX_TTL_RANGE,
        format!(
            "`expire_after` on `{owner}` is longer than {} seconds (68 years)",
            grouped(max)
        ),
    )
    .help("`expire_after = \"30d\"`")
    .note("the server refuses it (error 67)")
}

pub(crate) fn idx_ttl_compound(site: &dyn ToTokens, owner: &str, item: &str) -> Diag {
    Diag::new(
        site,
        &rules::IDX_TTL_COMPOUND,
        format!("`expire_after` in the index on `{owner}`, which has several keys"),
    )
    .help(format!(
        "an index of its own: `#[index(expire_after = \"30d\")]` on the date field of `{item}`"
    ))
    .note("an expiring index has one field; the server refuses more (error 67)")
}

pub(crate) fn idx_ttl_id(site: &dyn ToTokens, owner: &str) -> Diag {
    Diag::new(
        site,
        &rules::IDX_TTL_ID,
        format!("`expire_after` on `{owner}`, which is the `_id`"),
    )
    .help("a date field of its own: `#[index(expire_after = \"30d\")] created: bson::DateTime`")
    .note("the server refuses it (error 197)")
}

pub(crate) fn idx_ttl_special(site: &dyn ToTokens, owner: &str, kind: &str) -> Diag {
    Diag::new(
        site,
        &rules::IDX_TTL_SPECIAL,
        format!("`expire_after` in the {kind} index on `{owner}`"),
    )
    .help("a plain date field: `#[index(expire_after = \"30d\")] created: bson::DateTime`")
    .note("the server never deletes anything by such an index, or refuses it (error 67)")
}

pub(crate) fn idx_ttl_type(site: &dyn ToTokens, owner: &str, written: &Type, stored: &str) -> Diag {
    let written = type_text(written);
    let diag = Diag::new(
        site,
        &rules::IDX_TTL_TYPE,
        format!(
            "expiry by `{owner}: {written}` would never delete anything: it is stored as {stored}"
        ),
    )
    .help("make it a `bson::DateTime`");
    let diag = if written.contains("DateTime<") {
        diag.help("or `#[serde(with = \"bson::serde_helpers::datetime::FromChrono04DateTime\")]` on the field")
    } else {
        diag
    };
    diag.note("the server passes over documents whose field is not a date, without an error")
}

pub(crate) fn idx_text_many(
    site: &dyn ToTokens,
    owner: &str,
    first: &str,
    fields: &[String],
) -> Diag {
    let keys = fields
        .iter()
        .map(|field| format!("text({field})"))
        .collect::<Vec<_>>()
        .join(", ");
    Diag::new(
        site,
        &rules::IDX_TEXT_MANY,
        format!("second text index, on `{owner}`; the first is on `{first}`"),
    )
    .help(format!("one index of all: `#[model(index(keys({keys})))]`"))
    .note("a collection has one text index (error 85)")
}

pub(crate) fn idx_text_option(site: &dyn ToTokens, owner: &str) -> Diag {
    Diag::new(
        site,
        &rules::ATTR_CONFLICT,
        format!("the index on `{owner}` has an option of text indexes and no text key"),
    )
    .help("a text key is `text(title)` in `keys(..)`, or `#[index(text)]` on the field")
}

pub(crate) fn idx_text_apart(site: &dyn ToTokens, owner: &str) -> Diag {
    Diag::new(
        site,
        &rules::IDX_TEXT_SHAPE,
        format!("another key stands between the text keys of the index on `{owner}`"),
    )
    .help("put the text keys next to each other")
    .note("the server refuses it (error 67)")
}

pub(crate) fn idx_text_with(site: &dyn ToTokens, owner: &str, what: &str) -> Diag {
    let what = if what == "collation" {
        "a collation".to_owned()
    } else {
        format!("a {what} key")
    };
    Diag::new(
        site,
        &rules::IDX_TEXT_SHAPE,
        format!("the text index on `{owner}` has {what}"),
    )
    .help("an index of its own for it")
    .note("the server refuses it (error 67)")
}

pub(crate) fn idx_text_array(site: &dyn ToTokens, owner: &str) -> Diag {
    Diag::new(
        site,
        &rules::IDX_TEXT_SHAPE,
        format!("the text index has the key `{owner}`, which crosses an array"),
    )
    .help("an index of its own for it")
    .note("the server refuses every document with an array there (error 201)")
}

pub(crate) fn idx_text_no_words(site: &dyn ToTokens, owner: &str, stored: &str) -> Diag {
    Diag::new(
        site,
        &rules::IDX_TEXT_SHAPE,
        format!("text key `{owner}` is stored as {stored} and holds no words"),
    )
    .help("a plain index: `#[index]`")
    .note("a text index holds the words of strings only, and passes over the rest without an error")
}

pub(crate) fn idx_text_unique(site: &dyn ToTokens, owner: &str) -> Diag {
    Diag::new(
        site,
        &rules::ATTR_CONFLICT,
        format!("`unique` contradicts the text key of the index on `{owner}`"),
    )
    .help("an index of its own: `#[index(unique)]`")
    .note("a text index has one entry per word: no two documents could share a word")
}

pub(crate) fn idx_text_weight(site: &Ident, name: &str, owner: &str) -> Diag {
    Diag::new(
        site,
        &rules::ATTR_VALUE,
        format!("`weights({name} = ..)` names no text key of the index on `{owner}`"),
    )
    .help(format!("add the key `text({name})`, or remove the weight"))
    .note("the server would add the field to the index by itself")
}

pub(crate) fn idx_text_language(site: &dyn ToTokens, language: &str, owner: &str) -> Diag {
    Diag::new(site, &rules::IDX_TEXT_LANGUAGE, format!("`{language}` would be read as the language of the text index on `{owner}`"))
        .help("name another field in the index: `language_override = \"_language\"`")
        .help("if it is the language: `#[model(allow(idx_text_language, reason = \"..\"))]`")
        .note("the server refuses documents whose `language` it does not know (error 17262), or is null (error 17261)")
}

pub(crate) fn idx_text_unknown_language(
    site: &dyn ToTokens,
    language: &str,
    owner: &str,
    known: &[&str],
) -> Diag {
    Diag::new(
        site,
        &rules::IDX_TEXT_LANGUAGE,
        format!("`{language}` is no language of text search (index on `{owner}`)"),
    )
    .help(expected(language, known))
    .help("if your server knows it: `#[model(allow(idx_text_language, reason = \"..\"))]`")
    .note("the server refuses the index (error 67)")
}

pub(crate) fn idx_hashed_twice(site: &dyn ToTokens, owner: &str) -> Diag {
    Diag::new(
        site,
        &rules::IDX_HASHED,
        format!("two hashed keys in the index on `{owner}`"),
    )
    .help("one of them in ascending order")
    .note("the server refuses it (error 31303)")
}

pub(crate) fn idx_hashed_unique(site: &dyn ToTokens, owner: &str) -> Diag {
    Diag::new(
        site,
        &rules::IDX_HASHED,
        format!("the hashed index on `{owner}` cannot be unique"),
    )
    .help("`#[index(unique)]`, which serves equality too")
    .note("two values can have one hash; the server refuses it (error 16764)")
}

pub(crate) fn idx_hashed_geo(site: &dyn ToTokens, owner: &str) -> Diag {
    Diag::new(
        site,
        &rules::IDX_HASHED,
        format!("a hashed and a geo key in one index on `{owner}`"),
    )
    .help("two indexes")
    .note("the server refuses it (error 67)")
}

pub(crate) fn idx_hashed_array(site: &dyn ToTokens, owner: &str) -> Diag {
    Diag::new(
        site,
        &rules::IDX_HASHED,
        format!("hashed index on `{owner}`, which crosses an array"),
    )
    .help("index it in ascending order: `#[index]`")
    .note("the server refuses every document with an array there (error 16766)")
}

pub(crate) fn idx_wildcard_compound(site: &dyn ToTokens, owner: &str) -> Diag {
    Diag::new(
        site,
        &rules::IDX_WILDCARD,
        format!("the wildcard index on `{owner}` has other keys"),
    )
    .help("two indexes")
    .note("servers before 7.0 refuse it (error 67)")
}

pub(crate) fn idx_wildcard_option(site: &dyn ToTokens, owner: &str, option: &str) -> Diag {
    Diag::new(
        site,
        &rules::IDX_WILDCARD,
        format!("the wildcard index on `{owner}` cannot be {option}"),
    )
    .help(format!("remove `{option}`"))
    .note("the server refuses it (error 67)")
}

pub(crate) fn idx_geo(site: &dyn ToTokens, owner: &str, written: &Type, stored: &str) -> Diag {
    Diag::new(site, &rules::IDX_GEO, format!("geo index on `{owner}: {}`, which is stored as {stored}", type_text(written)))
        .help("make it a `mongo_model::geo::Point`, another GeoJSON document `{ type, coordinates }` or a pair `[f64; 2]` (longitude, latitude)")
        .note("the server refuses every document with another value there (error 16755)")
}
