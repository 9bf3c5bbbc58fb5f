use bson::{Document, doc};

use super::*;

/// Every combination of these options: 4 * 2 * 2 * 3 * 3 * 3 specifications, no two the same.
fn specifications() -> Vec<Document> {
    let mut specs = vec![
        doc! { "key": { "a": 1 } },
        doc! { "key": { "a": -1 } },
        doc! { "key": { "a": 1, "b": 1 } },
        doc! { "key": { "b": 1, "a": 1 } },
    ];
    let options: [&[Option<(&str, bson::Bson)>]; 5] = [
        &[None, Some(("unique", true.into()))],
        &[None, Some(("sparse", true.into()))],
        &[
            None,
            Some(("expireAfterSeconds", 60_i64.into())),
            Some(("expireAfterSeconds", 0_i64.into())),
        ],
        &[
            None,
            Some((
                "partialFilterExpression",
                doc! { "a": { "$gt": 1_i64, "$lt": 5_i64 } }.into(),
            )),
            Some((
                "partialFilterExpression",
                doc! { "a": { "$eq": 1_i64 } }.into(),
            )),
        ],
        &[
            None,
            Some(("collation", doc! { "locale": "en", "strength": 2 }.into())),
            Some((
                "collation",
                doc! { "locale": "fr_CA", "numericOrdering": true }.into(),
            )),
        ],
    ];
    for values in options {
        specs = specs
            .iter()
            .flat_map(|spec| {
                values.iter().map(|value| {
                    let mut spec = spec.clone();
                    spec.extend(
                        value
                            .clone()
                            .map(|(option, value)| (option.to_owned(), value)),
                    );
                    spec
                })
            })
            .collect();
    }
    specs
}

/// The index as a server would list it after another client created it.
fn listed(spec: &Document) -> Document {
    let mut live = doc! { "v": 2, "name": "any" };
    for (option, value) in spec {
        let value = match option.as_str() {
            "key" => bson::Bson::Document(
                value
                    .as_document()
                    .into_iter()
                    .flatten()
                    .map(|(path, _)| (path.clone(), as_double(value, path)))
                    .collect(),
            ),
            "expireAfterSeconds" => bson::Bson::Int32(
                value
                    .as_i64()
                    .and_then(|seconds| seconds.try_into().ok())
                    .expect("small"),
            ),
            "partialFilterExpression" => match value
                .as_document()
                .and_then(|filter| filter.get_document("a").ok())
            {
                Some(range) if range.contains_key("$lt") => {
                    doc! { "$and": [{ "a": { "$lt": 5 } }, { "a": { "$gt": 1.0 } }] }.into()
                }
                _ => doc! { "a": 1 }.into(),
            },
            "collation" => {
                let given = value.as_document().expect("a document");
                let mut full = doc! { "version": "57.1", "backwards": given.get_str("locale").is_ok_and(|locale| locale == "fr_CA"), "strength": 3, "maxVariable": "punct" };
                full.extend(given.clone());
                full.into()
            }
            _ => value.clone(),
        };
        live.insert(option, value);
    }
    live
}

fn as_double(key: &bson::Bson, path: &str) -> bson::Bson {
    let direction = key
        .as_document()
        .and_then(|key| key.get_i32(path).ok())
        .expect("a direction");
    f64::from(direction).into()
}

#[test]
fn an_index_is_the_same_as_itself_and_as_no_other() {
    let specs = specifications();
    assert_eq!(specs.len(), 4 * 2 * 2 * 3 * 3 * 3);
    let declared: Vec<Signature> = specs
        .iter()
        .map(|spec| Signature::of_spec(spec, None))
        .collect();
    let live: Vec<Signature> = specs
        .iter()
        .map(|spec| Signature::of_spec(&listed(spec), None))
        .collect();
    for (n, one) in declared.iter().enumerate() {
        for (m, other) in live.iter().enumerate() {
            let same =
                Difference::between(one, other).is_some_and(|difference| difference.is_none());
            assert_eq!(same, n == m, "{} and {}", specs[n], specs[m]);
        }
    }
}

#[test]
fn only_an_expiry_alone_separates_what_cannot_stand_side_by_side() {
    let all: Vec<Signature> = specifications()
        .iter()
        .map(|spec| Signature::of_spec(spec, None))
        .collect();
    for one in &all {
        for other in &all {
            let expiry_apart = Signature {
                expire_after: None,
                ..one.clone()
            } == Signature {
                expire_after: None,
                ..other.clone()
            };
            assert_eq!(one.can_stand_beside(other), !expiry_apart);
        }
    }
}

fn difference(declared: Document, live: Document) -> Difference {
    Difference::between(
        &Signature::of_spec(&declared, None),
        &Signature::of_spec(&live, None),
    )
    .expect("the same keys")
}

#[test]
fn an_expiry_is_changed_in_place_but_never_taken_away() {
    let (plain, minute) = (
        doc! { "key": { "a": 1 } },
        doc! { "key": { "a": 1 }, "expireAfterSeconds": 60 },
    );
    let added = difference(minute.clone(), plain.clone());
    assert!(added.expiry && added.others.is_empty());
    let removed = difference(plain, minute);
    assert!(!removed.expiry);
    assert_eq!(
        removed.others,
        ["no expiry is declared but it removes documents after 60 s"]
    );
}

#[test]
fn a_hidden_index_is_shown_in_place() {
    let found = difference(
        doc! { "key": { "a": 1 } },
        doc! { "key": { "a": 1 }, "hidden": true },
    );
    assert_eq!(
        found,
        Difference {
            hidden: true,
            ..Difference::default()
        }
    );
}

#[test]
fn differences_are_in_words() {
    let declared = doc! {
        "key": { "a": 1 }, "unique": true, "partialFilterExpression": { "a": { "$gt": 1 } }, "collation": { "locale": "en", "strength": 2 },
    };
    let live =
        doc! { "key": { "a": 1 }, "sparse": true, "collation": { "locale": "en" }, "bits": 3 };
    assert_eq!(
        difference(declared.clone(), live).others,
        [
            "unique is declared true but is false",
            "sparse is declared false but is true",
            "the partial filter is declared `\"a\" $gt 1` but is none",
            "of the collation, strength is declared 2 but is 3",
            "it has an option that no model declares, bits: 3",
        ]
    );
    let plain = doc! { "key": { "a": 1 } };
    assert_eq!(
        difference(declared, plain.clone()).others[2],
        "the collation \"en\" is declared but there is none"
    );
    let live = doc! { "key": { "a": 1 }, "collation": { "locale": "en" } };
    assert_eq!(
        difference(plain, live).others,
        ["no collation is declared but it has \"en\""]
    );
    let text = |weight: i32| doc! { "key": { "a": "text" }, "weights": { "a": weight } };
    assert_eq!(
        difference(text(1), text(2)).others,
        [r#"weights is declared {"a": "1"} but is {"a": "2"}"#]
    );
}
