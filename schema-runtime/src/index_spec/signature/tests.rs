use bson::{DateTime, doc};

use super::*;

fn same(one: &Document, other: &Document) -> bool {
    Signature::of_spec(one, None) == Signature::of_spec(other, None)
}

#[test]
fn the_order_of_keys_counts() {
    assert!(!same(
        &doc! { "key": { "a": 1, "b": 1 } },
        &doc! { "key": { "b": 1, "a": 1 } }
    ));
    assert!(!same(
        &doc! { "key": { "a": 1 } },
        &doc! { "key": { "a": -1 } }
    ));
    assert!(!same(
        &doc! { "key": { "a": 1 } },
        &doc! { "key": { "a": "hashed" } }
    ));
}

#[test]
fn the_types_of_numbers_do_not_count() {
    for one in [Bson::Int32(1), Bson::Int64(1), Bson::Double(1.0)] {
        assert!(same(
            &doc! { "key": { "a": 1 } },
            &doc! { "key": { "a": one.clone() }, "v": 2, "name": "x", "unique": false, "ns": "d.c" }
        ));
        assert!(same(
            &doc! { "key": { "a": 1 }, "unique": true },
            &doc! { "key": { "a": 1 }, "unique": one }
        ));
    }
    for minute in [Bson::Int32(60), Bson::Int64(60), Bson::Double(60.9)] {
        assert!(same(
            &doc! { "key": { "a": 1 }, "expireAfterSeconds": 60_i64 },
            &doc! { "key": { "a": 1 }, "expireAfterSeconds": minute }
        ));
    }
    let never = Signature::of_spec(
        &doc! { "key": { "a": 1 }, "expireAfterSeconds": f64::NAN },
        None,
    );
    assert_eq!(never.expire_after, Some(i64::MAX));
}

#[test]
fn absent_is_false() {
    let plain = doc! { "key": { "a": 1 } };
    for option in ["unique", "sparse", "hidden", "prepareUnique", "background"] {
        assert!(
            same(&plain, &doc! { "key": { "a": 1 }, option: false }),
            "{option}"
        );
    }
    assert!(same(
        &plain,
        &doc! { "key": { "a": 1 }, "background": true }
    ));
    for option in ["unique", "sparse", "hidden", "prepareUnique"] {
        assert!(
            !same(&plain, &doc! { "key": { "a": 1 }, option: true }),
            "{option}"
        );
    }
}

#[test]
fn options_that_are_not_known_count() {
    let plain = doc! { "key": { "$**": 1 } };
    assert!(!same(
        &plain,
        &doc! { "key": { "$**": 1 }, "wildcardProjection": { "a": 1 } }
    ));
    assert!(!same(
        &plain,
        &doc! { "key": { "$**": 1 }, "storageEngine": { "wiredTiger": {} } }
    ));
    assert!(!same(&plain, &doc! { "key": { "$**": 1 }, "bits": 20 }));
}

#[test]
fn text_is_compared_by_weights_and_languages() {
    let declared =
        doc! { "key": { "t": 1, "b": "text", "a": "text", "z": -1 }, "weights": { "b": 5_i64 } };
    // As mongod 6.0.5 lists it.
    let live = doc! {
        "v": 2, "key": { "t": 1, "_fts": "text", "_ftsx": 1, "z": -1 }, "name": "n", "weights": { "a": 1, "b": 5 },
        "default_language": "english", "language_override": "language", "textIndexVersion": 3,
    };
    assert!(same(&declared, &live));
    for (option, value) in [
        ("weights", Bson::from(doc! { "a": 1, "b": 6 })),
        ("default_language", "german".into()),
        ("language_override", "l".into()),
    ] {
        let mut other = live.clone();
        other.insert(option, value);
        assert!(!same(&declared, &other), "{option}");
    }
    let mut other = live;
    other.insert("key", doc! { "_fts": "text", "_ftsx": 1, "t": 1, "z": -1 });
    assert!(
        !same(&declared, &other),
        "keys before and behind the text are different indexes"
    );
}

#[test]
fn a_collation_is_compared_with_all_its_fields() {
    let index = |collation: Document| doc! { "key": { "a": 1 }, "collation": collation };
    let full = doc! {
        "locale": "en", "caseLevel": false, "caseFirst": "off", "strength": 2, "numericOrdering": false,
        "alternate": "non-ignorable", "maxVariable": "punct", "normalization": false, "backwards": false, "version": "57.1",
    };
    assert!(same(
        &index(doc! { "strength": 2, "locale": "en" }),
        &index(full.clone())
    ));
    assert!(same(
        &index(doc! { "locale": "en", "numericOrdering": false, "strength": 2.0 }),
        &index(full.clone())
    ));
    assert!(
        !same(&index(doc! { "locale": "en" }), &index(full.clone())),
        "the strength is 3 unless said"
    );
    assert!(!same(
        &index(doc! { "locale": "de", "strength": 2 }),
        &index(full.clone())
    ));
    assert!(!same(&doc! { "key": { "a": 1 } }, &index(full.clone())));
    assert!(same(
        &doc! { "key": { "a": 1 } },
        &index(doc! { "locale": "simple" })
    ));
    for field in ["caseLevel", "numericOrdering", "normalization", "backwards"] {
        let mut other = full.clone();
        other.insert(field, true);
        assert!(
            !same(
                &index(doc! { "locale": "en", "strength": 2 }),
                &index(other)
            ),
            "{field}"
        );
    }
}

#[test]
fn the_collation_of_the_collection_is_inherited() {
    let french = canonical_collation(&doc! { "locale": "fr" });
    let live = Signature::of_spec(
        &doc! { "key": { "a": 1 }, "collation": { "locale": "fr", "version": "57.1" } },
        None,
    );
    assert_eq!(
        Signature::of_spec(&doc! { "key": { "a": 1 } }, french.as_ref()),
        live
    );
    let binary = Signature::of_spec(
        &doc! { "key": { "a": 1 }, "collation": { "locale": "simple" } },
        french.as_ref(),
    );
    assert_eq!(binary.collation, None);
    assert_eq!(
        Signature::of_spec(&doc! { "key": { "a": "text" } }, french.as_ref()).collation,
        None
    );
}

#[test]
fn filters_are_compared_by_their_conditions() {
    let equal = [
        (doc! { "a": 5 }, doc! { "a": { "$eq": 5.0 } }),
        (
            doc! { "a": { "$gt": 1, "$lt": 9 }, "b": "x" },
            doc! { "b": "x", "a": { "$lt": 9, "$gt": 1 } },
        ),
        (
            doc! { "a": { "$gt": 1, "$lt": 9 } },
            doc! { "$and": [{ "a": { "$lt": 9_i64 } }, { "$and": [{ "a": { "$gt": 1 } }] }] },
        ),
        (
            doc! { "a": { "$exists": true } },
            doc! { "a": { "$exists": 1 } },
        ),
        (
            doc! { "a": { "$type": "string" } },
            doc! { "a": { "$type": [2] } },
        ),
        (
            doc! { "a": { "$type": ["int", "long"] } },
            doc! { "a": { "$type": [18, 16] } },
        ),
        (
            doc! { "a": { "$in": [1, 2] } },
            doc! { "a": { "$in": [2, 1, 1] } },
        ),
        (
            doc! { "$or": [{ "a": 1 }, { "b": 2, "c": 3 }] },
            doc! { "$or": [{ "c": 3, "b": 2 }, { "a": 1 }] },
        ),
    ];
    for (one, other) in &equal {
        assert_eq!(canonical_filter(one), canonical_filter(other));
    }
    let mut all: Vec<Vec<String>> = equal.iter().map(|(one, _)| canonical_filter(one)).collect();
    all.extend([
        canonical_filter(&doc! { "a": "5" }),
        canonical_filter(&doc! { "a": 6 }),
        canonical_filter(&doc! { "b": 5 }),
        canonical_filter(&doc! { "a": { "$gte": 5 } }),
        canonical_filter(&doc! { "a": { "$exists": false } }),
        canonical_filter(&doc! { "a": { "b": 1, "c": 2 } }),
        canonical_filter(&doc! { "a": { "c": 2, "b": 1 } }),
        canonical_filter(&doc! { "a": [1, 2] }),
        canonical_filter(&doc! { "a": DateTime::from_millis(0) }),
        canonical_filter(&doc! { "a": true }),
        canonical_filter(&doc! { "a": Bson::Null }),
    ]);
    for (n, one) in all.iter().enumerate() {
        for (m, other) in all.iter().enumerate() {
            assert_eq!(one == other, n == m, "{one:?} {other:?}");
        }
    }
}

#[test]
fn a_partial_filter_without_a_condition_holds_everything() {
    let plain = doc! { "key": { "a": 1 } };
    for filter in [doc! {}, doc! { "$and": [] }, doc! { "$and": [{}] }] {
        let partial = doc! { "key": { "a": 1 }, "partialFilterExpression": filter.clone() };
        assert!(same(&plain, &partial), "{filter}");
    }
    let some = doc! { "key": { "a": 1 }, "partialFilterExpression": { "a": 1 } };
    assert!(!same(&plain, &some));
}
