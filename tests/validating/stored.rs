//! Stored documents that `verify` judges: with one finding for all keys of a map, older versions as they are read, and without rules of writes.

use std::collections::BTreeMap;

use bson::{Document, doc};
use mongo_model::{
    Error, MongoEmbed, MongoModel, Result, plan_validators, sync_validators, validator, verify,
};
use serde::{Deserialize, Serialize};

use crate::common::{Bench, alone};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
struct Price {
    #[check(range = 0..)]
    cents: i64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "keyed_lists")]
struct Keyed {
    #[serde(rename = "_id")]
    id: i32,
    #[check(keys(len = 2), values(range = 0..=9))]
    #[embed(max = 5)]
    scores: BTreeMap<String, i32>,
    #[embed(max = 5)]
    prices: BTreeMap<String, Price>,
    #[embed(max = 5)]
    old: Vec<Price>,
}

async fn found<M: MongoModel>(bench: &Bench) -> (Vec<String>, Vec<String>) {
    let found = verify(&bench.db).only::<M>().await.expect("verified");
    let invalid = found.invalid.iter().map(ToString::to_string).collect();
    let undecodable = found.undecodable.iter().map(ToString::to_string);
    (invalid, undecodable.collect())
}

#[tokio::test]
async fn all_keys_of_a_map_are_one_path() {
    alone("keyed_verify", async |bench| {
        let wrong = doc! { "cents": -1_i64 };
        let scores = |key: &str, more: &str| doc! { key: 10, more: 11 };
        let documents = [
            doc! { "_id": 1, "scores": scores("ab", "cd"), "prices": { "7": &wrong, "b": &wrong }, "old": [&wrong, &wrong] },
            doc! { "_id": 2, "scores": scores("7", "12"), "prices": { "c": &wrong }, "old": [] },
            doc! { "_id": 3, "scores": { "ab": "x" }, "prices": {}, "old": [] },
            doc! { "_id": 4, "scores": { "5": "x" }, "prices": { "k": { "cents": "x" } }, "old": [] },
            doc! { "_id": 5, "scores": {}, "prices": { "9": { "cents": "x" } }, "old": [{}] },
        ];
        bench.seed("keyed_lists", documents).await;
        let (invalid, undecodable) = found::<Keyed>(bench).await;
        assert_eq!(
            invalid,
            [
                "Keyed: scores.* must be 0 to 9: 2 documents break the rule, the first is 1",
                "Keyed: prices.*.cents must be at least 0: 2 documents break the rule, the first is 1",
                "Keyed: old.cents must be at least 0: 1 document breaks the rule, the first is 1",
                "Keyed: scores.* must have a length of 2: 2 documents break the rule, the first is 2",
            ]
        );
        assert_eq!(undecodable.len(), 2, "{undecodable:?}");
        let report = verify(&bench.db).only::<Keyed>().await.expect("verified");
        let paths: Vec<(&str, u64)> = report.undecodable.iter().map(|one| (&*one.path, one.documents)).collect();
        assert_eq!(paths, [("prices.*.cents", 1), ("scores.*", 2)]);
    })
    .await;
}

fn to_cents(mut old: Document, version: i32) -> std::result::Result<Document, String> {
    assert_eq!(version, 1);
    let euros = old.remove("euros").and_then(|euros| euros.as_i32());
    old.insert("cents", euros.ok_or("it has no euros")? * 100);
    Ok(old)
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "versioned_prices", schema_version = 2, migrate = to_cents)]
struct Versioned {
    #[serde(rename = "_id")]
    id: i32,
    #[check(range = 100..=900)]
    cents: i32,
    // The first version had texts of another length here.
    #[check(len = 1..=5)]
    #[serde(default)]
    note: String,
}

/// A document of an older version is judged as a read gives it, and one that cannot be migrated is undecodable.
#[tokio::test]
async fn older_documents_are_judged_once_they_are_migrated() {
    alone("versioned_verify", async |bench| {
        let documents = [
            doc! { "_id": 1, "schema_version": 1, "euros": 1, "note": "a" },
            // It breaks the range as it is stored, and not once it is migrated.
            doc! { "_id": 2, "schema_version": 1, "euros": 9, "cents": 5, "note": "a" },
            doc! { "_id": 3, "schema_version": 1, "euros": 10, "note": "a" },
            doc! { "_id": 4, "schema_version": 2, "cents": 1000, "note": "a" },
            doc! { "_id": 5, "schema_version": 1, "cents": 1000, "note": "far too long" },
            doc! { "_id": 6, "schema_version": 3, "cents": 1000, "note": "far too long" },
        ];
        bench.seed("versioned_prices", documents).await;
        let (invalid, undecodable) = found::<Versioned>(bench).await;
        assert_eq!(
            invalid,
            ["Versioned: cents must be 100 to 900: 2 documents break the rule, the first is 3"]
        );
        assert_eq!(undecodable.len(), 1, "{undecodable:?}");
        assert!(
            undecodable[0].starts_with("Versioned: 2 documents cannot be decoded, the first is 5"),
            "{undecodable:?}"
        );
    })
    .await;
}

fn is_complete(part: &Written) -> std::result::Result<(), &'static str> {
    (part.low > 0).then_some(()).ok_or("needs a low end")
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(
    collection = "written_parts",
    check(low <= high),
    check(low != 5, high < top, with = is_complete, on = write)
)]
struct Written {
    #[serde(rename = "_id")]
    id: i32,
    low: i64,
    high: i64,
    top: i64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "written_only", check(low <= high, on = write))]
struct OnlyWritten {
    #[serde(rename = "_id")]
    id: i32,
    low: i64,
    high: i64,
}

#[track_caller]
fn broken<T: std::fmt::Debug>(result: Result<T>) -> Vec<String> {
    match result.expect_err("a rule is broken") {
        Error::Invalid { violations, .. } => violations.iter().map(ToString::to_string).collect(),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn comparisons_and_functions_of_writes_are_none_of_stored_documents() {
    alone("written_verify", async |bench| {
        let db = &bench.db;
        let part = |id, low, high, top| Written { id, low, high, top };
        Written::insert(db, &part(1, 1, 2, 3))
            .await
            .expect("stored");
        let both = [
            "low must meet `low != 5`",
            "high must meet `high < top`",
            "needs a low end",
        ];
        assert_eq!(
            broken(Written::insert(db, &part(2, 5, 9, 9)).await),
            both[..2]
        );
        assert_eq!(broken(part(1, 0, 9, 9).save(db).await), both[1..]);
        let update = || Written::update(db, 1);
        assert_eq!(broken(update().inc(|p| p.high, 1).await), both[1..2]);
        assert_eq!(broken(update().set(|p| p.low, 5).await), both[..1]);

        // The validator and `verify` know the others alone.
        sync_validators(db)
            .only::<Written>()
            .error()
            .await
            .expect("applied");
        let raw = bench.raw("written_parts");
        let stored =
            |id: i32, low: i64| doc! { "_id": id, "low": low, "high": 9_i64, "top": 1_i64 };
        raw.insert_one(stored(2, 5)).await.expect("no rule of it");
        raw.insert_one(stored(3, 10)).await.expect_err("10 <= 9");
        let (invalid, undecodable) = found::<Written>(bench).await;
        assert!(invalid.is_empty() && undecodable.is_empty(), "{invalid:?}");

        let conditions = validator::conditions(OnlyWritten::meta());
        assert!(!conditions.contains_key("$expr"), "{conditions}");
        let plan = plan_validators(db).only::<OnlyWritten>();
        let plan = plan.await.expect("planned").changes.remove(0).validator;
        assert!(!plan.to_string().contains("low <= high"), "{plan}");
    })
    .await;
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "single_rates")]
struct Single {
    #[serde(rename = "_id")]
    id: i32,
    #[check(range = 0.0..=0.1)]
    rate: f32,
    #[check(range = ..0.7)]
    part: Option<f32>,
    #[check(each(range = 0.1..=0.3))]
    #[embed(max = 4)]
    all: Vec<f32>,
    #[check(range = 0.0..=0.1)]
    wide: f64,
}

/// The limits of a field of type `f32` are the values that the field holds, here and on the server.
#[tokio::test]
async fn a_range_of_a_single_float_is_compared_in_its_type() {
    alone("single_range", async |bench| {
        let db = &bench.db;
        sync_validators(db)
            .only::<Single>()
            .error()
            .await
            .expect("applied");
        let mut one = Single {
            id: 1,
            rate: 0.1,
            part: Some(0.7_f32.next_down()),
            all: vec![0.1, 0.3],
            wide: 0.1,
        };
        Single::insert(db, &one)
            .await
            .expect("the limits are values");
        let update = || Single::update(db, 1);
        update().set(|s| s.rate, 0.1).await.expect("the limit");
        update().max(|s| s.rate, 0.1).await.expect("the limit");
        update().set(|s| s.rate, 0.0).await.expect("changed");
        update().inc(|s| s.rate, 0.1).await.expect("the limit");
        let rate = "rate must be 0 to 0.1".to_owned();
        assert_eq!(
            broken(update().inc(|s| s.rate, 1e-9).await),
            std::slice::from_ref(&rate)
        );
        one.rate = 0.1_f32.next_up();
        one.part = Some(0.7);
        one.all = vec![0.1_f32.next_down(), 0.3_f32.next_up()];
        one.wide = 0.1_f64.next_up();
        let all = [
            rate,
            "part must be less than 0.7".to_owned(),
            "all.0 must be 0.1 to 0.3".to_owned(),
            "all.1 must be 0.1 to 0.3".to_owned(),
            "wide must be 0 to 0.1".to_owned(),
        ];
        assert_eq!(broken(one.save(db).await), all);
    })
    .await;
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "either_shapes", check(low <= high))]
struct Span {
    #[serde(rename = "_id")]
    id: i32,
    low: i64,
    high: i64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "either_shapes", shares = Span, check(width != height))]
struct Frame {
    #[serde(rename = "_id")]
    id: i32,
    #[check(range = 1..)]
    width: i32,
    height: i32,
}

/// A document has to be one of either model, with the comparisons of that one.
#[tokio::test]
async fn the_validator_of_two_models_takes_what_one_of_them_describes() {
    alone("either_validator", async |bench| {
        let db = &bench.db;
        let models = [Span::meta(), Frame::meta()];
        sync_validators(db)
            .models(&models)
            .error()
            .await
            .expect("applied");
        let again = plan_validators(db).models(&models).error().await;
        assert!(again.expect("planned").is_empty());
        let raw = bench.raw("either_shapes");
        let span = |id: i32, low: i64| doc! { "_id": id, "low": low, "high": 5_i64 };
        let frame = |id: i32, width: i32| doc! { "_id": id, "width": width, "height": 5 };
        raw.insert_one(span(1, 5)).await.expect("a span");
        raw.insert_one(frame(2, 4)).await.expect("a frame");
        raw.insert_one(span(3, 6)).await.expect_err("6 <= 5");
        raw.insert_one(frame(4, 5)).await.expect_err("5 != 5");
        raw.insert_one(frame(5, 0)).await.expect_err("1..");
        let neither = doc! { "_id": 6, "low": 1_i64, "width": 1 };
        raw.insert_one(neither).await.expect_err("neither");
        // It breaks a rule of the one, and meets those of the other.
        let mut both = span(7, 6);
        both.extend(doc! { "width": 1, "height": 2 });
        raw.insert_one(both).await.expect("a frame");
    })
    .await;
}
