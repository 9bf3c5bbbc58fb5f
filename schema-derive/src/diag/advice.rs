//! Advice: the finding and the correction. The report shows both, `strict` makes an error of them.

use quote::ToTokens;

use super::Diag;
use crate::rules::{self, Rule};

/// The finding, without its place, and the change that it advises.
struct Text {
    is: &'static str,
    todo: &'static str,
}

/// Texts by code; a rule without an entry here uses the rule's own text.
const TEXTS: &[(&str, Text)] = &[
    (
        "VEC_NO_DEFAULT",
        Text {
            is: "a document stored without this array cannot be read",
            todo: "add `#[serde(default)]`",
        },
    ),
    (
        "COUNT_NO_DEFAULT",
        Text {
            is: "a document stored without this count cannot be read",
            todo: "add `#[serde(default)]`; `backfill` stores the count in documents that are older than the field",
        },
    ),
    (
        "REFS_LARGE",
        Text {
            is: "this array may hold more than 2,000 references",
            todo: "lower `max`, or refer from the other side: `#[parent(..)]`",
        },
    ),
    (
        "PARENT_OPTION_NULL",
        Text {
            is: "a document without a parent stores null here",
            todo: "add `#[serde(skip_serializing_if = \"Option::is_none\")]`",
        },
    ),
    (
        "NULL_VS_MISSING",
        Text {
            is: "`None` is stored as null",
            todo: "add `#[serde(skip_serializing_if = \"Option::is_none\")]`",
        },
    ),
    (
        "RECENT_LARGE",
        Text {
            is: "this list may hold more than 1,000 children",
            todo: "lower `max`; all children are read by the reference, page by page",
        },
    ),
    (
        "IDX_REDUNDANT",
        Text {
            is: "another index begins with the keys of this one, and serves the same queries",
            todo: "remove this `#[index]`",
        },
    ),
    (
        "IDX_TTL_ARRAY",
        Text {
            is: "the earliest date of the array decides when the document expires",
            todo: "if that is not meant, put `#[index(expire_after = \"..\")]` on a field that holds one date",
        },
    ),
    (
        "IDX_TTL_OPTION",
        Text {
            is: "a document without this date never expires",
            todo: "if that is not meant, make the date no `Option`",
        },
    ),
    (
        "IDX_LOW_CARD",
        Text {
            is: "an index on a bool leaves half of the documents to be read",
            todo: "put it after the other keys: `#[model(index(keys(other, this)))]`",
        },
    ),
    (
        "IDX_WHOLE_DOC",
        Text {
            is: "this index holds whole embedded documents, and serves comparisons with whole documents only",
            todo: "name the field that is asked for: `#[model(index(keys(this.field)))]`",
        },
    ),
    (
        "IDX_MULTIKEY_FAN",
        Text {
            is: "one document may have more than 1,000 entries in this index",
            todo: "lower `max`, or remove the index",
        },
    ),
    (
        "IDX_UNUSED",
        Text {
            is: "no declared access pattern uses this index",
            todo: "remove it, or declare the pattern: `#[model(access(..))]`",
        },
    ),
    (
        "BUCKET_LARGE",
        Text {
            is: "a bucket may hold more than 1,000 items",
            todo: "lower `max`: a full bucket is followed by the next one",
        },
    ),
    (
        "SHARD_GROWING",
        Text {
            is: "the shard key is an `_id` that grows with time, and all new documents go to one shard",
            todo: "`shard_key(hashed(id))`",
        },
    ),
    (
        "BUCKET_RANDOM",
        Text {
            is: "an access pattern looks for single items, and reads whole buckets",
            todo: "give the items a collection of their own: `#[parent(..)]` in each",
        },
    ),
    (
        "STRING_UNBOUNDED",
        Text {
            is: "nothing bounds this string",
            todo: "add `#[model(max_len = 200)]`: characters of a string, bytes of binary",
        },
    ),
    (
        "BINARY_UNBOUNDED",
        Text {
            is: "nothing bounds these bytes",
            todo: "add `#[model(max_len = 200)]`: characters of a string, bytes of binary",
        },
    ),
    (
        "INT_UNSIGNED",
        Text {
            is: "a value above 9,223,372,036,854,775,807 cannot be stored",
            todo: "use `i64`, or `u32` where that is enough",
        },
    ),
    (
        "INC_NARROW",
        Text {
            is: "a counter of so few bits is full one day, and `inc` then fails",
            todo: "use `i64`, or say where it ends: `#[check(range = 0..=100)]`",
        },
    ),
    (
        "MONEY_FLOAT",
        Text {
            is: "a float does not hold sums of money exactly",
            todo: "use `Decimal128`, or an `i64` of the smallest unit",
        },
    ),
    (
        "FLATTEN",
        Text {
            is: "a flattened map takes every field that no other has, also a misspelt one",
            todo: "if its keys are data, give it a name of its own: remove `#[serde(flatten)]`",
        },
    ),
];

fn text(rule: &Rule) -> Text {
    let found = TEXTS.iter().find(|(code, _)| *code == rule.code);
    found.map_or(
        Text {
            is: rule.says,
            todo: "change it",
        },
        |(_, text)| Text { ..*text },
    )
}

/// The advice as a line of the report.
pub(crate) fn advice(rule: &Rule) -> String {
    let Text { is, todo } = text(rule);
    format!("{is}: {todo}")
}

/// The advice as an error of a strict model.
pub(crate) fn strict(span: &dyn ToTokens, owner: &str, rule: &'static Rule) -> Diag {
    let Text { is, todo } = text(rule);
    let what = Diag::new(span, rule, format!("`{owner}`: {is}")).help(todo);
    let unbounded = [&rules::STRING_UNBOUNDED, &rules::BINARY_UNBOUNDED];
    if unbounded.iter().any(|other| other.code == rule.code) {
        return what.note(super::schema::STRICT);
    }
    what.help(format!(
        "or `#[model(allow({}, reason = \"..\"))]`",
        rule.name()
    ))
    .note(super::schema::STRICT)
}
