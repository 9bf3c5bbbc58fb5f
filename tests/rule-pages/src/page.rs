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

/// The page of one rule.
#[derive(Debug)]
pub(crate) struct Page {
    rule: &'static Rule,
    what: String,
    why: String,
    example: Example,
    fix: String,
    /// Code that compiles.
    good: Option<String>,
    /// How, and when, a break of the rule is allowed; `None` where it cannot be.
    allow: Option<Allow>,
    /// The files that the examples come from.
    sources: Vec<String>,
}

/// Code that breaks the rule, and the message about it.
#[derive(Debug)]
struct Example {
    /// The sentence before the code; empty if none is needed.
    code_intro: &'static str,
    code: String,
    /// The sentence before the message.
    message_intro: &'static str,
    message: String,
}

/// When a break of the rule is right, and the attribute that allows it.
#[derive(Debug)]
struct Allow {
    text: String,
    /// The sentence before the attribute.
    intro: String,
    attribute: String,
}

impl Page {
    /// Collects the parts. Items that `why.toml` names but no longer exist go into `notices`, and the page shows the default choice.
    pub(crate) fn collect(
        rule: &'static Rule,
        why: &Why,
        cases: &Cases,
        notices: &mut Vec<String>,
    ) -> Result<Self, String> {
        let mut sources = Vec::new();
        let (example, names) = match why.bad.as_deref().filter(|bad| bad.starts_with("tests/")) {
            Some(place) => {
                let (path, code) = cases
                    .items(place)
                    .ok_or_else(|| format!("`bad = \"{place}\"` names no items"))?;
                let report = why.report.as_deref().ok_or("`report` is missing")?;
                sources.push(path);
                let example = Example {
                    code_intro: "",
                    code,
                    message_intro: "The schema report says:",
                    message: report.to_owned(),
                };
                (example, BTreeSet::new())
            }
            None => {
                let shown =
                    bad(rule, why, cases, notices).ok_or("no golden in tests/ui has this code")?;
                sources.push(shown.path.clone());
                let names = shown.names.clone();
                (compile_error(rule, shown), names)
            }
        };
        let good = good(rule, why, cases, &names, notices).map(|(path, code)| {
            sources.push(path);
            code
        });
        Ok(Page {
            rule,
            what: why.what.clone(),
            why: why.why.clone(),
            example,
            fix: why.fix.clone(),
            good,
            allow: (rule.level != Level::Hard).then(|| allow(rule, why)),
            sources,
        })
    }

    /// The text of the file in `docs/rules`. It has no links: the documentation of the library shows it where no file stands beside it.
    pub(crate) fn markdown(&self) -> String {
        let mut out = format!("{HEAD}\n# {}\n\n", self.rule.code);
        out.push_str(&self.body());
        let paths: Vec<String> = self
            .sources
            .iter()
            .map(|path| format!("`{path}`"))
            .collect();
        let _ = writeln!(
            out,
            "---

{} · the examples are tests: {}",
            topic(self.rule.code),
            paths.join(", ")
        );
        out
    }

    /// What the rule is about, the example with its message, and the way out.
    fn body(&self) -> String {
        let rule = self.rule;
        let mut out = String::new();
        let _ = writeln!(out, "**{}**: {}.\n", label(rule.level), rule.says);
        let _ = writeln!(out, "## What it checks\n\n{}\n", self.what);
        let _ = writeln!(out, "## Why\n\n{}\n\n## Example\n", self.why);
        let Example {
            code_intro,
            code,
            message_intro,
            message,
        } = &self.example;
        if !code_intro.is_empty() {
            let _ = writeln!(out, "{code_intro}\n");
        }
        let _ = writeln!(out, "```rust,ignore\n{code}```\n");
        let _ = writeln!(out, "{message_intro}\n\n```text\n{message}\n```\n");
        let _ = writeln!(out, "## What to do\n\n{}\n", self.fix);
        if let Some(good) = &self.good {
            let _ = writeln!(out, "{COMPILES}\n\n```rust,ignore\n{good}```\n");
        }
        match &self.allow {
            None => {
                let _ = writeln!(out, "## Can it be allowed?\n\n{NO_EXCEPTIONS}\n");
            }
            Some(Allow {
                text,
                intro,
                attribute,
            }) => {
                let _ = writeln!(out, "## When to allow it\n\n{text}\n");
                let _ = writeln!(out, "{intro}\n\n```rust,ignore\n{attribute}\n```\n");
            }
        }
        out
    }
}

fn label(level: Level) -> &'static str {
    match level {
        Level::Hard | Level::Err => "Error",
        Level::Advice => "Advice",
    }
}

const COMPILES: &str = "This compiles:";
const NO_EXCEPTIONS: &str = "No. The rule has no exceptions.";

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
fn compile_error(rule: &Rule, shown: Shown) -> Example {
    Example {
        code_intro: match rule.level {
            Level::Hard | Level::Err => "This does not compile:",
            Level::Advice => "In a `strict` model, advice is an error:",
        },
        code: shown.source,
        message_intro: if shown.others == 0 {
            "The message:"
        } else {
            "One of its messages:"
        },
        message: shown.message,
    }
}

/// How, and when, a break of the rule is allowed.
fn allow(rule: &Rule, why: &Why) -> Allow {
    let report = match rule.level {
        Level::Hard | Level::Err => "",
        Level::Advice if why.report.is_some() => {
            "Only `mongo_model::report()` lists this advice; no compiler output depends on it.\n"
        }
        Level::Advice if rule.says.starts_with("a strict model") => {
            "Only `strict` models are checked for it.\n"
        }
        Level::Advice => {
            "`mongo_model::report()` lists this advice. It is an error in a `strict` model, and no compiler output elsewhere.\n"
        }
    };
    let form = format!("#[model(allow({}, reason = \"..\"))]", rule.name());
    let (place, attribute) = match &why.how {
        Some(form) => ("in the attribute", form.clone()),
        None => ("on the field or on the model", form),
    };
    Allow {
        text: why.allow.clone(),
        intro: format!("{report}To allow it, give the reason, {place}:"),
        attribute,
    }
}

/// `mongo_model::rules`: the introduction, and a module for each page.
pub(crate) fn rustdoc() -> String {
    let introduction = INTRODUCTION.replace(
        "
# The rules

",
        "The rules that the derives check, a module for each.

",
    );
    let mut out = LIST_HEAD.to_owned();
    for line in introduction.trim_end().lines() {
        let _ = writeln!(out, "{}", format!("//! {line}").trim_end());
    }
    out.push_str(MODULES);
    for rule in RULES {
        let _ = writeln!(out, "    {} {:?} {:?},", rule.name(), rule.code, rule.says);
    }
    out.push_str(
        "}
",
    );
    out
}

/// The constant with the pages that the tool prints, in the order of the rules.
pub(crate) fn catalogue() -> String {
    let mut out = format!(
        "{LIST_HEAD}//! The pages of `docs/rules`, as they are when the tool is built.

pub(super) const PAGES: &[&str] = &[
"
    );
    for rule in RULES {
        let line = format!(
            "    include_str!(\"../../../rules/{}.md\"),
",
            rule.code
        );
        out.push_str(&line);
    }
    out.push_str(
        "];
",
    );
    out
}

/// The list of all pages, by topic.
pub(crate) fn index() -> String {
    let link = |rule: &Rule| format!("[`{0}`]({0}.md)", rule.code);
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
            let _ = writeln!(
                out,
                "| {} | {} | {} |",
                link(rule),
                level(rule.level),
                rule.says
            );
        }
    }
    out
}

const HEAD: &str = "\
<!-- Written by `cargo run -p mongo-model-rule-pages` from why.toml, the rule table and the compile-time cases. Do not edit. -->
";

const LIST_HEAD: &str = "\
// Written by `cargo run -p mongo-model-rule-pages`, as the pages of docs/rules are. Do not edit.

";

/// The macro that shows a page as the documentation of a module. Only rustdoc reads the file; lists of modules show what the rule says.
const MODULES: &str = "
macro_rules! pages {
    ($($name:ident $code:literal $says:literal,)*) => {$(
        #[doc = $says]
        #[doc = \"\\n\"]
        #[cfg_attr(doc, doc = include_str!(concat!(\"../rules/\", $code, \".md\")))]
        pub mod $name {}
    )*};
}

pages! {
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
