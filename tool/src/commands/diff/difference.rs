//! A difference between two databases, and the comparison of settings: options of collections, and indexes.

use bson::{Bson, Document};
use serde::Serialize;
use serde_json::{Value, json};

use crate::commands::check::shown_keys;
use crate::findings::shown;

/// A difference in a collection.
#[derive(Debug, Serialize)]
pub(super) struct Difference {
    /// `collection`, `class`, `option`, `index` or `field`.
    kind: &'static str,
    /// The name of the option, the keys of the index, the path of the field.
    about: String,
    /// The option of the index, where both databases have the index.
    #[serde(skip_serializing_if = "Option::is_none")]
    option: Option<String>,
    /// The value in the first database; null where it has none.
    a: Value,
    /// The value in the second database.
    b: Value,
    #[serde(skip)]
    text: String,
}

/// One side of a difference.
pub(super) struct Side {
    /// The value in the JSON document.
    pub(super) json: Value,
    /// The value in words.
    pub(super) text: String,
}

impl Side {
    fn from_value(value: &Bson) -> Self {
        Side {
            json: json!(value),
            text: shown(value),
        }
    }
}

impl Difference {
    /// A difference of which at least one side has something.
    pub(super) fn new(
        kind: &'static str,
        about: impl Into<String>,
        a: Option<Side>,
        b: Option<Side>,
    ) -> Self {
        let text = match (&a, &b) {
            // Long values are cut.
            (Some(a), Some(b)) if a.text == b.text => {
                format!(
                    "differs: {} in both, then not the same; `--json` has all of it",
                    a.text
                )
            }
            (Some(a), Some(b)) => format!("differs: {} in A, {} in B", a.text, b.text),
            (Some(a), None) => format!("only in A: {}", a.text),
            (None, Some(b)) => format!("only in B: {}", b.text),
            (None, None) => String::new(),
        };
        Difference {
            kind,
            about: about.into(),
            option: None,
            a: a.map_or(Value::Null, |a| a.json),
            b: b.map_or(Value::Null, |b| b.json),
            text,
        }
    }

    /// The line about it.
    pub(super) fn line(&self) -> String {
        let (about, text) = (&self.about, &self.text);
        match (self.kind, &self.option) {
            ("collection" | "class", _) => text.clone(),
            ("index", None) => format!("index {about} {text}"),
            ("index", Some(option)) => format!("index {about} `{option}` {text}"),
            (kind, _) => format!("{kind} `{about}` {text}"),
        }
    }
}

/// The differences between the options of a collection.
pub(super) fn compare_options(a: &Document, b: &Document) -> Vec<Difference> {
    let mut found = Vec::new();
    compare_documents(&with_defaults(a), &with_defaults(b), "", &mut found);
    let difference = |(path, a, b): Found| {
        Difference::new(
            "option",
            path,
            a.map(|a| Side::from_value(&a)),
            b.map(|b| Side::from_value(&b)),
        )
    };
    found.into_iter().map(difference).collect()
}

/// The options, with those of a validator as the server takes them where they are not set.
fn with_defaults(options: &Document) -> Document {
    let mut options = options.clone();
    let has_validator = options
        .get_document("validator")
        .is_ok_and(|validator| !validator.is_empty());
    for (name, default) in [("validationLevel", "strict"), ("validationAction", "error")] {
        if !has_validator {
            options.remove(name);
        } else if !options.contains_key(name) {
            options.insert(name, default);
        }
    }
    if !has_validator {
        options.remove("validator");
    }
    options
}

/// The differences between the indexes of a collection. An index is the same in both where the keys are, and the name where several have
/// these keys.
pub(super) fn compare_indexes(a: &[Document], b: &[Document]) -> Vec<Difference> {
    let mut left: Vec<&Document> = b.iter().collect();
    let mut found = Vec::new();
    let mut unpaired = Vec::new();
    for index in a {
        let same = |other: &&Document| keys(other) == keys(index) && name(other) == name(index);
        match left.iter().position(same) {
            Some(at) => compare_index(index, left.remove(at), &mut found),
            None => unpaired.push(index),
        }
    }
    for index in unpaired {
        match left.iter().position(|other| keys(other) == keys(index)) {
            Some(at) => compare_index(index, left.remove(at), &mut found),
            None => found.push(Difference::new(
                "index",
                keys(index),
                Some(index_side(index)),
                None,
            )),
        }
    }
    let others = left.into_iter();
    found.extend(
        others.map(|index| Difference::new("index", keys(index), None, Some(index_side(index)))),
    );
    found
}

fn compare_index(a: &Document, b: &Document, out: &mut Vec<Difference>) {
    let mut found = Vec::new();
    compare_documents(&index_options(a), &index_options(b), "", &mut found);
    out.extend(found.into_iter().map(|(path, one, other)| Difference {
        option: Some(path),
        ..Difference::new(
            "index",
            keys(a),
            one.map(|a| Side::from_value(&a)),
            other.map(|b| Side::from_value(&b)),
        )
    }));
}

/// The options of an index, without those that only the server's version or its build decides.
fn index_options(index: &Document) -> Document {
    let mut options = index.clone();
    for own in ["key", "v", "ns", "background"] {
        options.remove(own);
    }
    options
}

fn index_side(index: &Document) -> Side {
    let mut options = index_options(index);
    options.remove("name");
    let options: Vec<&str> = options.keys().map(String::as_str).collect();
    let text = match options.is_empty() {
        true => name(index).to_owned(),
        false => format!("{}, with {}", name(index), options.join(", ")),
    };
    Side {
        json: json!(index),
        text,
    }
}

fn name(index: &Document) -> &str {
    index.get_str("name").unwrap_or_default()
}

/// `{ city: 1, stars: -1 }`, whatever type the directions have.
fn keys(index: &Document) -> String {
    let keys = index.get_document("key").cloned().unwrap_or_default();
    let keys = keys
        .into_iter()
        .map(|(path, kind)| (path, whole_number(kind)));
    shown_keys(&keys.collect())
}

/// A path, and the values there.
type Found = (String, Option<Bson>, Option<Bson>);

/// Finds the paths at which two documents differ. The order of names does not matter.
fn compare_documents(a: &Document, b: &Document, above: &str, out: &mut Vec<Found>) {
    let others = b.keys().filter(|name| !a.contains_key(name));
    for name in a.keys().chain(others) {
        let path = match above {
            "" => name.clone(),
            above => format!("{above}.{name}"),
        };
        match (a.get(name), b.get(name)) {
            (Some(Bson::Document(a)), Some(Bson::Document(b))) => {
                compare_documents(a, b, &path, out);
            }
            (a, b) => {
                let (a, b) = (a.cloned().map(whole_number), b.cloned().map(whole_number));
                // As texts, in which the order of the names in a stage of a pipeline counts.
                if a.as_ref().map(Bson::to_string) != b.as_ref().map(Bson::to_string) {
                    out.push((path, a, b));
                }
            }
        }
    }
}

/// The value with whole numbers of one type: servers and drivers store 1 as any of three.
fn whole_number(value: Bson) -> Bson {
    match value {
        Bson::Int32(number) => Bson::Int64(number.into()),
        #[expect(
            clippy::cast_possible_truncation,
            reason = "a whole number in the range of an f64"
        )]
        Bson::Double(number) if number.fract() == 0.0 && number.abs() < 9e15 => {
            Bson::Int64(number as i64)
        }
        Bson::Array(items) => Bson::Array(items.into_iter().map(whole_number).collect()),
        Bson::Document(fields) => {
            let fields = fields.into_iter();
            Bson::Document(
                fields
                    .map(|(name, value)| (name, whole_number(value)))
                    .collect(),
            )
        }
        value => value,
    }
}

#[cfg(test)]
mod tests {
    use bson::doc;

    use super::*;

    fn lines(found: &[Difference]) -> Vec<String> {
        found.iter().map(Difference::line).collect()
    }

    #[test]
    fn types_of_whole_numbers_and_the_order_of_options_do_not_matter() {
        let one = doc! { "capped": true, "size": 4096, "validator": { "a": 1, "b": 2.0 } };
        let other = doc! { "size": 4096.0, "validator": { "b": 2, "a": 1_i64 }, "capped": true, "validationAction": "error" };
        assert_eq!(lines(&compare_options(&one, &other)), [""; 0]);
        let a = [doc! { "v": 2, "key": { "a": 1.0 }, "name": "a_1" }];
        let b = [doc! { "v": 1, "key": { "a": 1 }, "name": "a_1", "background": true }];
        assert_eq!(lines(&compare_indexes(&a, &b)), [""; 0]);
    }

    #[test]
    fn the_order_of_keys_and_of_stages_matters() {
        let a = [doc! { "key": { "a": 1, "b": 1 }, "name": "ab" }];
        let b = [doc! { "key": { "b": 1, "a": 1 }, "name": "ab" }];
        assert_eq!(
            lines(&compare_indexes(&a, &b)),
            [
                "index { a: 1, b: 1 } only in A: ab",
                "index { b: 1, a: 1 } only in B: ab"
            ]
        );
        let one = doc! { "pipeline": [{ "$sort": { "a": 1, "b": 1 } }] };
        let other = doc! { "pipeline": [{ "$sort": { "b": 1, "a": 1 } }] };
        assert_eq!(compare_options(&one, &other).len(), 1);
    }

    #[test]
    fn values_that_differ_behind_the_cut_are_not_shown_as_the_same() {
        let options = |last: &str| {
            let mut all = vec!["a value of an enum"; 5];
            all.push(last);
            doc! { "validator": { "state": { "$in": all } } }
        };
        let found = compare_options(&options("x"), &options("y"));
        let lines = lines(&found);
        assert_eq!(lines.len(), 1);
        assert!(
            lines[0].starts_with("option `validator.state.$in` differs: "),
            "{lines:?}"
        );
        assert!(
            lines[0].ends_with("… in both, then not the same; `--json` has all of it"),
            "{lines:?}"
        );
    }

    #[test]
    fn of_indexes_with_the_same_keys_those_with_the_same_name_are_compared() {
        let index = |name: &str, locale: &str| {
            doc! { "key": { "a": 1 }, "name": name, "collation": { "locale": locale } }
        };
        let a = [index("x", "en"), index("y", "fr")];
        let b = [index("y", "fr"), index("z", "en")];
        assert_eq!(
            lines(&compare_indexes(&a, &b)),
            [r#"index { a: 1 } `name` differs: "x" in A, "z" in B"#]
        );
    }
}
