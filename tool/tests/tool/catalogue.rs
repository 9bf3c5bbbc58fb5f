//! `src/commands/rule/rules.json` is made of the derive's rule table and the cases of its tests. This test compares them, and with
//! `MONGO_MODEL_BLESS=1` writes the file again.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

/// Rules that take several models, or a server: no single program shows them to the compiler.
const BY_HAND: [(&str, &str, &str, &str, &str); 3] = [
    (
        "REFS_TWO_WAY",
        "models that refer to each other say so: `inverse = owner` here, `inverse = tasks` on `Task::owner`",
        "without it both sides are changed by hand, and disagree after a crash between the two writes",
        "pub struct Person {\n    #[refs(Task)]\n    pub tasks: Vec<Id<Task>>,\n}\n\npub struct Task {\n    #[parent(Person)]\n    pub owner: Id<Person>,\n}\n",
        "pub struct Person {\n    #[refs(Task, inverse = owner)]\n    pub tasks: Vec<Id<Task>>,\n}\n\npub struct Task {\n    #[parent(Person, inverse = tasks)]\n    pub owner: Id<Person>,\n}\n",
    ),
    (
        "DENORM_ALL",
        "a source keeps a field that is not copied: all of `Host` is here, its collection can be dropped",
        "a collection of which everything is copied is read by no join, and still costs a write for every change",
        "pub struct Host {\n    pub id: Id<Host>,\n    pub ipaddr: String,\n}\n\npub struct LogMsg {\n    #[parent(Host)]\n    pub host: Id<Host>,\n    #[denorm(from = Host, field = ipaddr)]\n    pub ipaddr: String,\n}\n",
        "pub struct LogMsg {\n    pub ipaddr: String,\n}\n",
    ),
    (
        "DENORM_TWICE",
        "a field is copied once: `host_name` is the same",
        "every copy is written again whenever its source changes",
        "#[denorm(from = Host, field = name)]\npub host_name: String,\n#[denorm(from = Host, field = name)]\npub title: String,\n",
        "#[denorm(from = Host, field = name)]\npub host_name: String,\n",
    ),
];

/// Cases that show a rule better than the shortest.
const TYPICAL: &[(&str, &str)] = &[("IDX_FILTER", "find_not_indexed")];

/// Why there is a rule, where no message says it.
const WHY: &[(&str, &str)] = &[
    (
        "VEC_NO_DEFAULT",
        "a document that was stored before the field was added has no array, and cannot be read",
    ),
    (
        "REFS_LARGE",
        "an array of references is read and written with its document; 2,000 ids are 44 KB",
    ),
    (
        "PARENT_FIELD_TYPE",
        "one document has one parent; several references are an array with `refs`",
    ),
    (
        "PARENT_SORT_FIELD",
        "the index that serves the children in order holds stored fields",
    ),
    (
        "PARENT_OPTION_NULL",
        "an index holds a key for each null, and `null` and absent mean the same here",
    ),
    (
        "RECENT_SORT_FIELD",
        "the list is compared with its children by an index in that order",
    ),
    (
        "RECENT_LARGE",
        "each child that comes or goes rewrites the list: 1,000 entries are a document of about 100 KB",
    ),
    (
        "DENORM_AMBIGUOUS",
        "two references may lead to different documents with different values",
    ),
    (
        "IDX_SKIPPED_FIELD",
        "a field that serde skips is in no document, so that the index would hold nothing but null",
    ),
    (
        "IDX_REDUNDANT",
        "a longer index serves every query that its prefix serves; each index costs a write per document and memory",
    ),
    (
        "IDX_KEY_VALUE",
        "the server refuses an index that has a field twice",
    ),
    (
        "IDX_TTL_ARRAY",
        "the server deletes the document when the earliest date of the array has passed",
    ),
    (
        "IDX_TTL_OPTION",
        "the server deletes no document that has no date",
    ),
    (
        "IDX_LOW_CARD",
        "half of the documents have either value: the server reads nearly as much as without the index",
    ),
    (
        "IDX_WHOLE_DOC",
        "an index on an embedded document serves only comparisons with the whole document, in the same order of fields",
    ),
    (
        "IDX_MULTIKEY_FAN",
        "each element is a key: one write of the document writes thousands of keys",
    ),
    (
        "IDX_UNUSED",
        "an index that no query uses costs a write per document and memory",
    ),
    (
        "IDX_FILTER",
        "a filter without an index reads every document of the collection",
    ),
    (
        "FILTER_CHILD",
        "a filter that follows a reference would be a query per document, or a join in the server",
    ),
    (
        "QUEUE_FIELD",
        "the first job is taken by one look into an index, which holds stored fields with one value each",
    ),
    (
        "BUCKET_LARGE",
        "a bucket is rewritten by each item that is stored in it",
    ),
    (
        "BUCKET_ITEMS",
        "an item is stored once because its `id` is compared; copies inside items cannot be found by a reference",
    ),
    (
        "BUCKET_RANDOM",
        "a bucket is a page: to find one item the server reads all items of its bucket",
    ),
    (
        "STRING_UNBOUNDED",
        "a string without a bound can make a document exceed 16 MiB",
    ),
    (
        "BINARY_UNBOUNDED",
        "binary without a bound can make a document exceed 16 MiB",
    ),
    (
        "INT_UNSIGNED",
        "BSON has no unsigned integers: a `u64` above 9,223,372,036,854,775,807 cannot be stored",
    ),
    (
        "MONEY_FLOAT",
        "binary fractions cannot hold a cent: sums are off; a `Decimal128` or an integer of cents is exact",
    ),
    (
        "FLATTEN",
        "keys that are data cannot be indexed, bounded or validated",
    ),
    (
        "SERDE_SKIP_RULE",
        "a rule about a field that is never stored would have no effect",
    ),
    (
        "SERDE_UNSUPPORTED",
        "an attribute that the derive passed over would store something else than serde does",
    ),
    (
        "SCHEMA_VERSION",
        "a document that says its version can be read by a program of a later schema",
    ),
    (
        "NULL_VS_MISSING",
        "a null takes room in the document and in each index, and means the same as an absent field",
    ),
    (
        "DENORM_SOURCE",
        "a copy follows documents of a collection; an embedded document has none",
    ),
    (
        "REFS_KEY_TYPE",
        "values of different types never compare equal, so that a join would find nothing",
    ),
    (
        "BUCKET_FIELD",
        "a bucket is opened by pushing items: nothing else is known about its fields",
    ),
    (
        "PROJECTION_OF",
        "a projection names the fields that the server sends; only models and embedded documents have them",
    ),
    (
        "PROJECTION_TYPE",
        "the same bytes are read as the model's field",
    ),
    (
        "PROJECTION_NESTED",
        "the server sends exactly the fields of the nested projection",
    ),
    ("ATTR_UNKNOWN", "a misspelt option would have no effect"),
    (
        "ATTR_DUPLICATE",
        "which of the two counts would not be clear",
    ),
    (
        "ATTR_MISSING",
        "a bound, a name or a source has no default that fits",
    ),
    (
        "ATTR_VALUE",
        "the value decides what is stored or built: it is not guessed",
    ),
    (
        "ATTR_SHAPE",
        "an attribute in another form would have no effect",
    ),
    (
        "ATTR_REASON",
        "the next reader of an override wants to know why it is there",
    ),
    (
        "UNUSED_ALLOW",
        "an override without effect hides that the rule is kept",
    ),
    (
        "NOT_YET",
        "an option without effect would promise something that does not happen",
    ),
];

#[test]
fn the_catalogue_of_rules_is_that_of_the_derive() {
    let made = format!("{:#}\n", catalogue());
    let path = root().join("tool/src/commands/rule/rules.json");
    if std::env::var_os("MONGO_MODEL_BLESS").is_some() {
        fs::write(&path, &made).expect("the catalogue is written");
    }
    let stored = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        made == stored,
        "{} is not what the derive and its tests say: run the test with MONGO_MODEL_BLESS=1",
        path.display()
    );
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Every rule, in the derive's order.
fn catalogue() -> Value {
    let table =
        fs::read_to_string(root().join("schema-derive/src/rules.rs")).expect("the rule table");
    let (_, table) = table.split_once("\nrules! {\n").expect("the table begins");
    let (table, _) = table.split_once("\n}").expect("the table ends");
    let bad = files(&root().join("tests/ui"), "stderr");
    let good = files(&root().join("tests/ui-pass"), "rs");
    let rows = table.lines().filter_map(|line| {
        let (code, rest) = line.trim().split_once(' ')?;
        let (level, says) = rest.split_once(' ')?;
        let says = says.trim().trim_matches('"');
        Some(rule(code, level, says, &bad, &good))
    });
    Value::Array(rows.collect())
}

fn rule(
    code: &str,
    level: &str,
    says: &str,
    bad: &BTreeMap<PathBuf, String>,
    good: &BTreeMap<PathBuf, String>,
) -> Value {
    let mut out = Map::new();
    out.insert("code".to_owned(), json!(code));
    let level = match level {
        "Hard" => "error",
        "Err" => "error, can be allowed",
        _ => "advice",
    };
    out.insert("level".to_owned(), json!(level));
    out.insert("says".to_owned(), json!(says));
    if let Some((_, message, why, bad, good)) = BY_HAND.iter().find(|row| row.0 == code) {
        for (key, value) in [
            ("message", message),
            ("why", why),
            ("bad", bad),
            ("good", good),
        ] {
            out.insert(key.to_owned(), json!(value));
        }
        out.insert("help".to_owned(), json!([]));
        return out.into();
    }
    let (case, block) = case(code, bad).unwrap_or_else(|| panic!("no case shows {code}"));
    out.insert("message".to_owned(), json!(block.message));
    out.insert("help".to_owned(), json!(block.help));
    let why = WHY.iter().find(|row| row.0 == code);
    let why = why.map_or(block.why.as_str(), |row| row.1);
    assert!(!why.is_empty(), "{code} has no reason");
    out.insert("why".to_owned(), json!(why));
    out.insert(
        "bad".to_owned(),
        json!(short(&case.with_extension("rs"), block.line)),
    );
    let stem = code.to_ascii_lowercase();
    let passes = good
        .keys()
        .find(|path| path.file_stem().is_some_and(|name| *name == *stem));
    out.insert("good".to_owned(), json!(passes.map(|path| source(path))));
    out.into()
}

/// One error of a golden.
struct Block {
    message: String,
    help: Vec<String>,
    why: String,
    /// The line that it is about.
    line: Option<usize>,
}

/// The shortest case whose only error is that of the rule; else the shortest that shows it.
fn case<'a>(code: &str, bad: &'a BTreeMap<PathBuf, String>) -> Option<(&'a Path, Block)> {
    let tag = format!("[{code}]");
    let folder = format!("rule-{}", code.to_ascii_lowercase().replace('_', "-"));
    let shows = bad.iter().filter(|(_, text)| text.contains(&tag));
    let cost = |(path, text): &(&'a PathBuf, &'a String)| {
        let errors = text
            .lines()
            .filter(|line| {
                line.starts_with("error") && line.contains('[') && line.trim_end().ends_with(']')
            })
            .count();
        let length =
            fs::read_to_string(path.with_extension("rs")).map_or(usize::MAX, |text| text.len());
        let stem = path.file_stem().map(|stem| stem.to_string_lossy());
        let typical = stem.is_some_and(|stem| TYPICAL.contains(&(code, &*stem)));
        let elsewhere = !path.iter().any(|part| *part == *folder);
        (!typical, elsewhere, errors, length)
    };
    let (path, text) = shows.min_by_key(cost)?;
    Some((path, block(text, &tag)?))
}

fn block(text: &str, tag: &str) -> Option<Block> {
    let mut lines = text.lines().skip_while(|line| !line.contains(tag));
    let first = lines.next()?;
    let first = first.split_once(": ").map_or(first, |(_, rest)| rest);
    let message = first
        .trim_start_matches("evaluation panicked: ")
        .trim_end_matches(tag)
        .trim_end();
    let (mut help, mut why, mut at) = (Vec::new(), Vec::new(), None);
    for line in lines {
        let line = line.trim().trim_start_matches("= ");
        if let Some(text) = line.strip_prefix("help: ") {
            help.push(text.to_owned());
        } else if let Some(text) = line.strip_prefix("note: ") {
            why.push(text.to_owned());
        } else if let Some(place) = line.strip_prefix("--> ") {
            at = at.or_else(|| place.split(':').nth(1)?.parse().ok());
        } else if line.is_empty() || line.starts_with("error") {
            break;
        }
    }
    why.retain(|line| !line.starts_with("this error originates") && !line.starts_with("required"));
    // Of an error about a trait, the notes are ours and the help is the compiler's.
    if text
        .lines()
        .any(|line| line.starts_with("error[E0277]") && line.contains(tag))
    {
        help = std::mem::take(&mut why);
    }
    Some(Block {
        message: message.to_owned(),
        help,
        why: why.first().cloned().unwrap_or_default(),
        line: at,
    })
}

/// A case as [`source`] gives it; of a long one the item alone that the error is about.
fn short(path: &Path, line: Option<usize>) -> String {
    const LONG: usize = 40;
    let whole = source(path);
    let text = fs::read_to_string(path).expect("the case is there");
    let lines: Vec<&str> = text.lines().collect();
    match line {
        Some(line) if whole.lines().count() > LONG && line <= lines.len() => {
            let begins = lines[..line]
                .iter()
                .rposition(|line| line.is_empty())
                .map_or(0, |n| n + 1);
            let ends = lines[line - 1..]
                .iter()
                .position(|line| *line == "}")
                .map_or(lines.len(), |n| line + n);
            format!("{}\n", lines[begins..ends].join("\n"))
        }
        _ => whole,
    }
}

/// A case without what every case has: imports, `main`.
fn source(path: &Path) -> String {
    let text = fs::read_to_string(path).expect("the case is there");
    let mut out: Vec<&str> = Vec::new();
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        let is_main = line.starts_with("fn main") || line.starts_with("pub fn main");
        if is_main && line.ends_with('{') {
            lines
                .by_ref()
                .take_while(|line| *line != "}")
                .for_each(drop);
        } else if line.starts_with("use ") && !line.ends_with(';') {
            lines
                .by_ref()
                .take_while(|line| !line.ends_with(';'))
                .for_each(drop);
        } else if is_main || line.starts_with("use ") {
            continue;
        } else if !line.is_empty() || out.last().is_some_and(|last| !last.is_empty()) {
            out.push(line);
        }
    }
    format!("{}\n", out.join("\n").trim_end())
}

fn files(folder: &Path, extension: &str) -> BTreeMap<PathBuf, String> {
    let mut out = BTreeMap::new();
    let entries = fs::read_dir(folder).expect("the cases are there");
    for entry in entries.map(|entry| entry.expect("it can be read").path()) {
        if entry.is_dir() {
            out.extend(files(&entry, extension));
        } else if entry.extension().is_some_and(|found| *found == *extension) {
            let text = fs::read_to_string(&entry).expect("it is text");
            out.insert(entry, text);
        }
    }
    out
}
