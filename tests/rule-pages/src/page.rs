//! The text of the pages.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use crate::case::{Cases, Shown};
use crate::rules::{Level, RULES, Rule};
use crate::why::Why;

/// The topics of the index, with the beginnings of their rules' codes. The first that fits counts.
const TOPICS: &[(&str, &[&str])] = &[
    (
        "Embedding, arrays and maps",
        &["EMBED_", "ARRAY_", "MAP_", "VEC_"],
    ),
    ("References and parents", &["REFS_", "PARENT_"]),
    (
        "Lists and counts of children",
        &["CHILD_", "RECENT_", "COUNT_"],
    ),
    ("Copies", &["DENORM_"]),
    ("Indexes that expire", &["IDX_TTL_"]),
    ("Text indexes", &["IDX_TEXT_"]),
    (
        "Access patterns and filters",
        &[
            "IDX_ACCESS",
            "IDX_ESR",
            "IDX_SORT_DIR",
            "IDX_PARTIAL_QUERY",
            "IDX_UNUSED",
            "IDX_FILTER",
            "FILTER_",
        ],
    ),
    ("Indexes", &["IDX_"]),
    (
        "Queues, buckets and versions",
        &["QUEUE_", "BUCKET_", "OUTLIER_", "CAS_", "SCHEMA_VERSION"],
    ),
    ("Enums of several kinds", &["POLY_", "ENUM_"]),
    ("Projections", &["PROJECTION_"]),
    (
        "How attributes are written",
        &["ATTR_", "ALLOW_", "UNUSED_", "NOT_YET"],
    ),
    ("Fields, types and names", &[""]),
];

fn topic(code: &str) -> &'static str {
    let fits = |starts: &[&str]| starts.iter().any(|start| code.starts_with(start));
    let (topic, _) = TOPICS
        .iter()
        .find(|(_, starts)| fits(starts))
        .expect("the last fits all");
    topic
}

fn level(level: Level) -> &'static str {
    match level {
        Level::Hard => "error",
        Level::Err => "error, can be allowed",
        Level::Advice => "advice",
    }
}

/// The page of one rule. What `why.toml` names and is no longer there goes into `notices`, and the page shows the default choice.
pub(crate) fn of_rule(
    rule: &Rule,
    why: &Why,
    cases: &Cases,
    notices: &mut Vec<String>,
) -> Result<String, String> {
    let mut out = format!("{HEAD}\n# {}\n\n", rule.code);
    let level = match rule.level {
        Level::Hard | Level::Err => "Error",
        Level::Advice => "Advice",
    };
    let _ = writeln!(out, "**{level}**: {}.\n", rule.says);
    let _ = writeln!(out, "## What it checks\n\n{}\n", why.what);
    let _ = writeln!(out, "## Why\n\n{}\n", why.why);
    let mut sources = Vec::new();
    let names = match why.bad.as_deref().filter(|bad| bad.starts_with("tests/")) {
        Some(place) => {
            let (path, source) = cases
                .items(place)
                .ok_or_else(|| format!("`bad = \"{place}\"` names no items"))?;
            let report = why.report.as_deref().ok_or("`report` is missing")?;
            let _ = writeln!(out, "## Example\n\n```rust,ignore\n{source}```\n");
            let _ = writeln!(out, "The schema report says:\n\n```text\n{report}\n```\n");
            sources.push(path);
            BTreeSet::new()
        }
        None => {
            let shown =
                bad(rule, why, cases, notices).ok_or("no golden in tests/ui has this code")?;
            out.push_str(&example(rule, &shown));
            sources.push(shown.path);
            shown.names
        }
    };
    let _ = writeln!(out, "## What to do\n\n{}\n", why.fix);
    if let Some((path, source)) = good(rule, why, cases, &names, notices) {
        let _ = writeln!(out, "This compiles:\n\n```rust,ignore\n{source}```\n");
        sources.push(path);
    }
    out.push_str(&allow(rule, why));
    let links: Vec<String> = sources
        .iter()
        .map(|path| format!("[`{path}`](../../{path})"))
        .collect();
    let _ = writeln!(
        out,
        "---\n\n[All rules](README.md) · {} · the examples are tests: {}",
        topic(rule.code),
        links.join(", ")
    );
    Ok(out)
}

/// The case that breaks the rule.
fn bad(rule: &Rule, why: &Why, cases: &Cases, notices: &mut Vec<String>) -> Option<Shown> {
    let message = why.message.as_deref();
    let chosen = match &why.bad {
        Some(name) => cases.case(name, rule.code, message),
        None => cases.clearest(rule.code, message),
    };
    if chosen.is_none() && (why.bad.is_some() || message.is_some()) {
        notices.push(format!("{}: `bad` or `message` names no case", rule.code));
    }
    chosen.or_else(|| cases.clearest(rule.code, None))
}

/// The near miss, by its path and text.
fn good(
    rule: &Rule,
    why: &Why,
    cases: &Cases,
    bad: &BTreeSet<String>,
    notices: &mut Vec<String>,
) -> Option<(String, String)> {
    if why.good.as_deref() == Some("none") {
        return None;
    }
    let chosen = why.good.as_deref().and_then(|place| cases.near_miss(place));
    if chosen.is_none() && why.good.is_some() {
        notices.push(format!("{}: `good` names no near miss", rule.code));
    }
    chosen.or_else(|| cases.near_miss_of(&rule.name(), bad))
}

/// The case and its message.
fn example(rule: &Rule, shown: &Shown) -> String {
    let says = match rule.level {
        Level::Hard | Level::Err => "This does not compile:",
        Level::Advice => "In a `strict` model, advice is an error:",
    };
    let message = if shown.others == 0 {
        "The message:"
    } else {
        "One of its messages:"
    };
    let (source, text) = (&shown.source, &shown.message);
    format!(
        "## Example\n\n{says}\n\n```rust,ignore\n{source}```\n\n{message}\n\n```text\n{text}\n```\n\n"
    )
}

/// How, and when, a break of the rule is allowed.
fn allow(rule: &Rule, why: &Why) -> String {
    if rule.level == Level::Hard {
        return "## Can it be allowed?\n\nNo. The rule has no exceptions.\n\n".to_owned();
    }
    let mut out = format!("## When to allow it\n\n{}\n\n", why.allow);
    if rule.level == Level::Advice {
        out.push_str(if why.report.is_some() {
            "Only `mongo_model::report()` lists this advice; no compiler output depends on it.\n"
        } else if rule.says.starts_with("a strict model") {
            "Only `strict` models are checked for it.\n"
        } else {
            "`mongo_model::report()` lists this advice. It is an error in a `strict` model, and no compiler output elsewhere.\n"
        });
    }
    let form = format!("#[model(allow({}, reason = \"..\"))]", rule.name());
    let (place, form) = match &why.how {
        Some(form) => ("in the attribute", form),
        None => ("on the field or on the model", &form),
    };
    let _ = writeln!(
        out,
        "To allow it, give the reason, {place}:\n\n```rust,ignore\n{form}\n```\n"
    );
    out
}

/// The list of all pages, by topic.
pub(crate) fn index() -> String {
    let mut out = format!("{HEAD}{INTRODUCTION}");
    for (name, _) in TOPICS {
        let rules: Vec<_> = RULES
            .iter()
            .filter(|rule| topic(rule.code) == *name)
            .collect();
        if rules.is_empty() {
            continue;
        }
        let _ = writeln!(
            out,
            "\n## {name}\n\n| rule | level | what it says |\n|---|---|---|"
        );
        for rule in rules {
            let (code, says) = (rule.code, rule.says);
            let _ = writeln!(
                out,
                "| [`{code}`]({code}.md) | {} | {says} |",
                level(rule.level)
            );
        }
    }
    out
}

const HEAD: &str = "\
<!-- Written by `cargo run -p mongo-model-rule-pages` from why.toml, the rule table and the compile-time cases. Do not edit. -->
";

const INTRODUCTION: &str = "
# The rules

The derives of mongo-model check a schema against these rules. A message ends with the code of its rule in brackets, `[EMBED_UNBOUNDED]`, and
each code has a page here: what the rule checks, why, an example that breaks it with the compiler's message, and an example that does not.

| level | what it means |
|---|---|
| error | the server would refuse the schema or the documents, data would be lost, or a query would silently find nothing; nothing turns it off |
| error, can be allowed | a design that is nearly always wrong; `#[model(allow(rule_name, reason = \"..\"))]` on the field or the model turns it off |
| advice | no compiler output; `mongo_model::report()` lists it, and in a `#[model(strict)]` model it is an error |

The rules come from \"6 Rules of Thumb for MongoDB Schema Design\" (MongoDB blog), from the slides \"Schema Design with MongoDB\", from the
MongoDB manual, and from limits that were tried out on MongoDB 6.0. Times on the pages were measured with MongoDB 6.0.5 on a machine with
two cores. The pages quote the rules of thumb by their numbers:

1. Favour embedding unless there is a compelling reason not to.
2. Needing to access an object on its own is a compelling reason not to embed it.
3. Arrays should not grow without bound: with more than a couple of hundred documents do not embed them, with more than a few thousand do
   not hold an array of their ids.
4. Do not be afraid of joins in the application: with the right indexes and projections they cost hardly more than joins in the server.
5. Consider the ratio of reads to writes before you copy a field: copy what is mostly read and seldom updated.
6. Structure the data for the ways in which the application queries and updates it.

Messages are shown as the compiler prints them, without its notes about the
library's internal traits; their line numbers are those of the example. The examples leave out their imports, `use mongo_model::..` and
`use serde::..`.

Some words on the pages:

| word | what it is |
|---|---|
| model | a struct with `#[derive(MongoModel)]`: each value is a document of a collection |
| embedded document | a value with `#[derive(MongoEmbed)]` inside another document |
| `Id<Part>` | the `_id` of a `Part`: an ObjectId with a type |
| reference | an id of another document: `#[refs(Part)]` on an array of ids, `#[parent(Host)]` on one id |
| parent, child | the document that a `#[parent(..)]` field refers to, and the one with that field |
| copy | `#[denorm(from = Part, field = name)]`: a field of the referenced document, stored beside the reference; the library keeps it up to date |
| entry | the struct that a derive generates for a reference with copies: the id and the copied fields |
| two-way reference | two references that are the same relation, `inverse = ..`; a change of one side changes the other |
| bucket | `#[model(bucket(items))]`: a document that holds up to N items of one parent |
| access pattern | `#[model(access(name(host, sort = -time)))]`: a query that the program makes, as a method and as a promise about indexes |
| projection | a struct with `#[derive(MongoProjection)]`: some of the fields of a model |
| strict | `#[model(strict)]`: in this model, advice is an error |
";
