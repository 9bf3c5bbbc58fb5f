//! The normal form of an index, in which declared and live indexes are compared.
//!
//! A server lists an index differently from how it was specified: text keys become `_fts` and weights, a collation gets ten
//! fields, numbers keep the type that some client gave them. Both sides are converted to one form here.

use std::collections::{BTreeMap, BTreeSet};

use bson::{Bson, Document};

/// A collation with every field set, by name; the version of the server's tables left out.
pub(crate) type Collation = BTreeMap<&'static str, String>;

/// An index without its name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Signature {
    /// Paths and orders, in order. The text keys are one key here; `text` has their paths.
    pub(crate) keys: Vec<(String, String)>,
    pub(crate) text: Option<Text>,
    pub(crate) unique: bool,
    pub(crate) sparse: bool,
    pub(crate) hidden: bool,
    pub(crate) expire_after: Option<i64>,
    /// The conditions of a partial index.
    pub(crate) partial: Option<Vec<String>>,
    /// The collation; `None` for the binary order.
    pub(crate) collation: Option<Collation>,
    /// Options that no model can declare, and any others that this list does not know.
    pub(crate) other: Vec<String>,
}

/// The properties that make two text indexes equal, besides their other keys.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Text {
    pub(crate) weights: BTreeMap<String, String>,
    pub(crate) default_language: String,
    pub(crate) language_override: String,
}

impl Signature {
    /// The signature of a specification for `createIndexes` or from `listIndexes`. `unset` is the collation of a specification
    /// that names none: for `createIndexes`, the collection's.
    pub(crate) fn of_spec(spec: &Document, unset: Option<&Collation>) -> Self {
        let mut text = Text {
            weights: BTreeMap::new(),
            default_language: "english".to_owned(),
            language_override: "language".to_owned(),
        };
        let keys = read_keys(spec, &mut text);
        let is_text = keys.iter().any(|(path, _)| path == "_fts");
        let mut signature = Signature {
            keys,
            text: None,
            unique: false,
            sparse: false,
            hidden: false,
            expire_after: None,
            partial: None,
            // A text index takes no other order, whatever the collection's is.
            collation: unset.filter(|_| !is_text).cloned(),
            other: Vec::new(),
        };
        for (option, value) in spec {
            signature.read_option(&mut text, option, value);
        }
        signature.text = is_text.then_some(text);
        signature
    }

    /// Reads one option of a specification. Options of text indexes go into `text`.
    fn read_option(&mut self, text: &mut Text, option: &str, value: &Bson) {
        match (option, value) {
            // The versions are the server's choice, the rest has no effect on any server of today.
            (
                "key"
                | "name"
                | "v"
                | "ns"
                | "background"
                | "dropDups"
                | "textIndexVersion"
                | "2dsphereIndexVersion",
                _,
            ) => {}
            ("unique", value) => self.unique = truth(value),
            ("sparse", value) => self.sparse = truth(value),
            ("hidden", value) => self.hidden = truth(value),
            ("expireAfterSeconds", value) => self.expire_after = seconds(value),
            // A partial index without a condition holds every document.
            ("partialFilterExpression", Bson::Document(filter)) => {
                self.partial = Some(canonical_filter(filter)).filter(|all| !all.is_empty());
            }
            ("collation", Bson::Document(collation)) => {
                self.collation = canonical_collation(collation);
            }
            ("weights", Bson::Document(given)) => {
                let given = given.iter();
                let given = given.map(|(path, weight)| (path.clone(), literal(weight)));
                text.weights.extend(given);
            }
            ("default_language", Bson::String(language)) => {
                language.clone_into(&mut text.default_language);
            }
            ("language_override", Bson::String(field)) => {
                field.clone_into(&mut text.language_override);
            }
            (_, Bson::Boolean(false) | Bson::Null) => {}
            (option, value) => self.other.push(format!("{option}: {value}")),
        }
    }
}

/// The keys of a specification. The text keys become one, and their paths weights.
fn read_keys(spec: &Document, text: &mut Text) -> Vec<(String, String)> {
    let mut keys = Vec::new();
    for (path, value) in spec.get_document("key").into_iter().flatten() {
        match (path.as_str(), value) {
            ("_ftsx", _) => {}
            (_, Bson::String(kind)) if kind == "text" => {
                if path != "_fts" {
                    text.weights.insert(path.clone(), "1".to_owned());
                }
                let all = ("_fts".to_owned(), "text".to_owned());
                if !keys.contains(&all) {
                    keys.push(all);
                }
            }
            _ => keys.push((path.clone(), literal(value))),
        }
    }
    keys
}

/// Old clients wrote numbers for flags.
fn truth(value: &Bson) -> bool {
    match value {
        Bson::Boolean(flag) => *flag,
        Bson::Int32(number) => *number != 0,
        Bson::Int64(number) => *number != 0,
        Bson::Double(number) => *number != 0.0,
        _ => false,
    }
}

/// Whole seconds, as the server counts them. One that is not a number never comes.
#[expect(
    clippy::cast_possible_truncation,
    reason = "the server truncates too, and a cast saturates"
)]
fn seconds(value: &Bson) -> Option<i64> {
    match value {
        Bson::Int32(seconds) => Some(i64::from(*seconds)),
        Bson::Int64(seconds) => Some(*seconds),
        Bson::Double(seconds) if seconds.is_nan() => Some(i64::MAX),
        Bson::Double(seconds) => Some(*seconds as i64),
        _ => None,
    }
}

/// A value as text; numbers of equal value are equal. The fields of a document keep their order, which is part of its value.
fn literal(value: &Bson) -> String {
    match value {
        Bson::Int32(number) => number.to_string(),
        Bson::Int64(number) => number.to_string(),
        // Shortest form: `1` for 1.0.
        Bson::Double(number) => number.to_string(),
        Bson::String(text) => format!("{text:?}"),
        Bson::Array(items) => format!(
            "[{}]",
            items.iter().map(literal).collect::<Vec<_>>().join(", ")
        ),
        Bson::Document(fields) => {
            let fields: Vec<String> = fields
                .iter()
                .map(|(name, value)| format!("{name:?}: {}", literal(value)))
                .collect();
            format!("{{{}}}", fields.join(", "))
        }
        other => other.to_string(),
    }
}

/// The conditions of a filter that are joined by and, each as text, sorted.
pub(crate) fn canonical_filter(filter: &Document) -> Vec<String> {
    let mut conditions = BTreeSet::new();
    collect(filter, &mut conditions);
    conditions.into_iter().collect()
}

fn collect(filter: &Document, conditions: &mut BTreeSet<String>) {
    for (path, value) in filter {
        match value {
            Bson::Array(parts) if path == "$and" => parts
                .iter()
                .filter_map(Bson::as_document)
                .for_each(|part| collect(part, conditions)),
            Bson::Array(parts) if path.starts_with('$') => {
                let parts: BTreeSet<String> = parts
                    .iter()
                    .filter_map(Bson::as_document)
                    .map(|part| format!("({})", canonical_filter(part).join(" and ")))
                    .collect();
                conditions.insert(format!(
                    "{path} {}",
                    parts.into_iter().collect::<Vec<_>>().join(" ")
                ));
            }
            Bson::Document(operators)
                if operators
                    .keys()
                    .next()
                    .is_some_and(|first| first.starts_with('$')) =>
            {
                conditions.extend(operators.iter().map(|(operator, operand)| {
                    format!("{path:?} {operator} {}", argument(operator, operand))
                }));
            }
            value => {
                conditions.insert(format!("{path:?} $eq {}", literal(value)));
            }
        }
    }
}

fn argument(operator: &str, value: &Bson) -> String {
    match (operator, value) {
        ("$exists", value) => truth(value).to_string(),
        ("$type", Bson::Array(types)) => set(types.iter().map(type_name)),
        ("$type", value) => set(std::iter::once(type_name(value))),
        ("$in", Bson::Array(values)) => set(values.iter().map(literal)),
        (_, value) => literal(value),
    }
}

fn set(items: impl Iterator<Item = String>) -> String {
    items
        .collect::<BTreeSet<_>>()
        .into_iter()
        .collect::<Vec<_>>()
        .join("|")
}

/// `$type` takes a name or its number.
fn type_name(value: &Bson) -> String {
    const NAMES: [&str; 20] = [
        "",
        "double",
        "string",
        "object",
        "array",
        "binData",
        "undefined",
        "objectId",
        "bool",
        "date",
        "null",
        "regex",
        "dbPointer",
        "javascript",
        "symbol",
        "javascriptWithScope",
        "int",
        "timestamp",
        "long",
        "decimal",
    ];
    let number = literal(value);
    number
        .parse::<usize>()
        .ok()
        .and_then(|number| NAMES.get(number))
        .map_or(number, |name| format!("{name:?}"))
}

/// All fields of a collation; fields that are not given are filled in as the server does. `None` for the binary order.
pub(crate) fn canonical_collation(given: &Document) -> Option<Collation> {
    /// Languages whose text ICU always normalises before it compares.
    const NORMALISED: [&str; 23] = [
        "as", "bn", "el", "fa", "gu", "he", "hi", "ig", "km", "kn", "kok", "mr", "my", "or", "pa",
        "ps", "si", "ta", "te", "th", "vi", "yi", "yo",
    ];
    let locale = given.get_str("locale").unwrap_or_default();
    if locale == "simple" {
        return None;
    }
    let language = locale.split(['_', '@']).next().unwrap_or_default();
    let quoted = |text: &str| format!("{text:?}");
    let mut full: Collation = BTreeMap::from([
        ("locale", quoted(locale)),
        ("strength", "3".to_owned()),
        ("caseLevel", false.to_string()),
        (
            "caseFirst",
            quoted(if matches!(language, "da" | "mt") {
                "upper"
            } else {
                "off"
            }),
        ),
        ("numericOrdering", false.to_string()),
        (
            "alternate",
            quoted(if language == "th" {
                "shifted"
            } else {
                "non-ignorable"
            }),
        ),
        ("maxVariable", quoted("punct")),
        ("normalization", NORMALISED.contains(&language).to_string()),
        ("backwards", (locale == "fr_CA").to_string()),
    ]);
    for (field, value) in &mut full {
        if let Some(given) = given.get(field) {
            *value = literal(given);
        }
    }
    Some(full)
}

#[cfg(test)]
mod tests;
