//! Functions of the program that judge values and documents, keys and values of maps, rules of writes alone, and floats inside strict models.

use std::collections::BTreeMap;

use bson::{DateTime, Document, doc};
use mongo_model::{Error, MongoEmbed, MongoModel, Result, sync_validators, validator, verify};
use serde::{Deserialize, Serialize};

use crate::common::alone;

mod names {
    pub(super) fn is_free(name: &str) -> Result<(), &'static str> {
        match name {
            "admin" | "root" => Err("is reserved"),
            _ => Ok(()),
        }
    }
}

fn is_even(n: &i32) -> Result<(), &'static str> {
    (n % 2 == 0).then_some(()).ok_or("must be even")
}

fn is_past(date: &DateTime) -> Result<(), &'static str> {
    let limit = DateTime::from_millis(1_000);
    (*date <= limit).then_some(()).ok_or("must be past")
}

fn is_consistent(room: &Room) -> Result<(), &'static str> {
    match (room.seat.n, room.name.as_str()) {
        (8, "eight") | (_, "admin") => Ok(()),
        (8, _) => Err("eight is called eight"),
        _ => Ok(()),
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
struct Seat {
    #[check(with = is_even)]
    n: i32,
    #[serde(default)]
    weight: f64,
    #[check(finite = false)]
    #[serde(default)]
    any: f64,
    #[serde(default)]
    #[embed(max = 3)]
    sizes: Vec<f64>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "judged_rooms", check(with = is_consistent))]
struct Room {
    #[serde(rename = "_id")]
    id: i32,
    #[check(with = names::is_free, len = ..=8)]
    name: String,
    seat: Seat,
    #[check(with = is_past)]
    opened: Option<DateTime>,
    #[check(each(with = is_even))]
    #[embed(max = 4)]
    marks: Vec<i32>,
    #[check(keys(len = 2, pattern = "^[a-zä]+$"), values(range = 0..=9))]
    #[embed(max = 5)]
    scores: BTreeMap<String, i32>,
    #[check(keys(one_of("a", "b"), not_empty), values(with = is_even))]
    #[embed(max = 5)]
    #[serde(default)]
    counts: BTreeMap<String, Option<i32>>,
    #[check(not_empty)]
    #[check(len = 3..=5, on = write)]
    note: Option<String>,
    #[check(len = ..=2, on = write)]
    #[embed(max = 4)]
    #[serde(default)]
    tags: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "judged_strict", strict, schema_version = 1)]
struct Strict {
    #[serde(rename = "_id")]
    id: i32,
    seat: Seat,
}

fn seat(n: i32) -> Seat {
    Seat {
        n,
        weight: 0.5,
        any: f64::NAN,
        sizes: vec![1.0],
    }
}

fn map<V>(entries: impl IntoIterator<Item = (&'static str, V)>) -> BTreeMap<String, V> {
    let entries = entries.into_iter();
    entries
        .map(|(key, value)| (key.to_owned(), value))
        .collect()
}

fn room(id: i32) -> Room {
    Room {
        id,
        name: "blue".to_owned(),
        seat: seat(2),
        opened: None,
        marks: vec![2],
        scores: map([("ab", 1)]),
        counts: map([("a", None)]),
        note: None,
        tags: Vec::new(),
    }
}

#[track_caller]
fn broken<T: std::fmt::Debug>(result: Result<T>) -> Vec<String> {
    match result.expect_err("a rule is broken") {
        Error::Invalid { violations, .. } => violations.iter().map(ToString::to_string).collect(),
        other => panic!("{other:?}"),
    }
}

#[track_caller]
fn impossible<T: std::fmt::Debug>(result: Result<T>, says: &str) {
    match result.expect_err("refused") {
        Error::Impossible { what } => assert!(what.contains(says), "{what}"),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn functions_judge_whole_documents_and_operators() {
    alone("judged_writes", async |bench| {
        let db = &bench.db;
        let mut wrong = room(1);
        wrong.name = "admin".to_owned();
        wrong.seat.n = 3;
        wrong.opened = Some(DateTime::from_millis(1_001));
        wrong.marks = vec![2, 3];
        wrong.counts = map([("a", Some(1)), ("b", None)]);
        let all = [
            "name is reserved",
            "seat.n must be even",
            "opened must be past",
            "marks.1 must be even",
            "counts.a must be even",
        ];
        assert_eq!(broken(Room::insert(db, &wrong).await), all);
        assert_eq!(broken(wrong.save(db).await), all);
        let mut eight = room(1);
        eight.seat.n = 8;
        assert_eq!(
            broken(Room::upsert(db, &eight).await),
            ["eight is called eight"]
        );
        assert_eq!(bench.sent(), Vec::<String>::new(), "nothing is sent");
        eight.name = "eight".to_owned();
        Room::insert(db, &eight).await.expect("stored");
        bench.sent();
        let update = || Room::update(db, 1);
        assert_eq!(
            broken(update().set(|r| r.name, "root").await),
            ["name is reserved"]
        );
        assert_eq!(
            broken(update().set(|r| r.seat.n, 1).await),
            ["seat.n must be even"]
        );
        assert_eq!(
            broken(update().max(|r| r.seat.n, 9).await),
            ["seat.n must be even"]
        );
        assert_eq!(
            broken(update().push(|r| r.marks, 1).await),
            ["marks must be even"]
        );
        impossible(
            update().inc(|r| r.seat.n, 2).await,
            "arithmetic on Room.seat.n, which must be accepted by `is_even`",
        );
        impossible(
            update().current_date(|r| r.opened).await,
            "`current_date` of Room.opened",
        );
        assert_eq!(bench.sent(), Vec::<String>::new(), "nothing is sent");
        // A function of the model judges whole documents alone.
        update().set(|r| r.name, "red").await.expect("set");
        assert_eq!(
            broken(
                Room {
                    name: "red".to_owned(),
                    ..eight
                }
                .save(db)
                .await
            ),
            ["eight is called eight"]
        );
    })
    .await;
}

#[tokio::test]
async fn keys_and_values_of_maps_are_checked_here_and_by_the_server() {
    alone("judged_maps", async |bench| {
        let db = &bench.db;
        sync_validators(db)
            .only::<Room>()
            .error()
            .await
            .expect("applied");
        let raw = bench.raw("judged_rooms");
        let keys = ["ab", "aä", "a", "abc", "aB", "", "ab\n", "  "];
        for (n, key) in (1..).zip(keys) {
            let mut one = room(n);
            one.scores = map([(key, 1)]);
            let (ours, stored) = (
                Room::insert(db, &one).await,
                bson::serialize_to_document(&one),
            );
            raw.delete_one(doc! { "_id": n }).await.expect("removed");
            let theirs = raw.insert_one(stored.expect("encoded")).await;
            assert_eq!(ours.is_ok(), n < 3, "{key:?}: {ours:?}");
            assert_eq!(theirs.is_ok(), n < 3, "{key:?}: {theirs:?}");
        }
        let mut wrong = room(50);
        wrong.scores = map([("ab", 10), ("x", -1)]);
        wrong.counts = map([("c", None), (" ", None)]);
        let expected = [
            "scores.ab must be 0 to 9",
            "scores.x must have a length of 2",
            "scores.x must be 0 to 9",
            "counts.  must be one of a, b",
            "counts.  must not be empty",
            "counts.c must be one of a, b",
        ];
        assert_eq!(broken(Room::insert(db, &wrong).await), expected);
        let scores = map([("ab", 10)]);
        let set = Room::update(db, 1).set(|r| r.scores, scores).await;
        assert_eq!(broken(set), ["scores.ab must be 0 to 9"]);
        for (field, value) in [
            ("scores", doc! { "ab": 10 }),
            ("counts", doc! { "c": null }),
            ("counts", doc! { " ": null }),
        ] {
            let mut one: Document = bson::serialize_to_document(&room(51)).expect("encoded");
            one.insert(field, &value);
            assert!(raw.insert_one(one).await.is_err(), "{field}: {value}");
        }
    })
    .await;
}

#[tokio::test]
async fn rules_of_writes_are_none_of_stored_documents() {
    alone("judged_written", async |bench| {
        let db = &bench.db;
        let schema = validator::json_schema(Room::meta());
        let of = |field: &str| schema.get_document("properties").and_then(|all| all.get_document(field)).cloned();
        let note = of("note").expect("note");
        assert!(note.contains_key("pattern") && !note.contains_key("minLength"), "{note}");
        assert_eq!(of("tags").expect("tags").get_i64("maxItems").ok(), Some(4));
        let mut old = room(1);
        (old.note, old.tags) = (Some("no".to_owned()), vec![String::new(); 3]);
        old.name = "root".to_owned();
        bench.seed("judged_rooms", [bson::serialize_to_document(&old).expect("encoded")]).await;
        let found = verify(db).only::<Room>().await.expect("verified");
        let found: Vec<String> = found.invalid.iter().map(ToString::to_string).collect();
        assert_eq!(found, ["Room: name must be accepted by `names::is_free`: 1 document breaks the rule, the first is 1"]);
        Room::update(db, 1).set(|r| r.name, "blue").await.expect("another field");
        let read = Room::get(db, 1).await.expect("read").expect("there");
        let both = ["note must have a length of 3 to 5", "tags must have a length of at most 2"];
        assert_eq!(broken(read.save(db).await), both);
        assert_eq!(broken(Room::update(db, 1).set(|r| r.note, Some("no".to_owned())).await), both[..1]);
        let push = Room::update(db, 1).push(|r| r.tags, "x").await;
        assert!(matches!(push, Err(Error::Full { max: 2, .. })), "{push:?}");
    })
    .await;
}

#[tokio::test]
async fn floats_inside_strict_models_are_finite() {
    alone("judged_strict", async |bench| {
        let db = &bench.db;
        sync_validators(db)
            .only::<Strict>()
            .error()
            .await
            .expect("applied");
        Room::insert(
            db,
            &Room {
                seat: Seat {
                    weight: f64::NAN,
                    ..seat(2)
                },
                ..room(1)
            },
        )
        .await
        .expect("a model that is not strict takes NaN");
        let mut one = Strict {
            id: 1,
            seat: seat(2),
        };
        Strict::insert(db, &one)
            .await
            .expect("`finite = false` counts");
        (one.seat.weight, one.seat.sizes) = (f64::INFINITY, vec![1.0, f64::NAN]);
        let both = [
            "seat.weight must be a finite number",
            "seat.sizes.1 must be a finite number",
        ];
        assert_eq!(broken(one.save(db).await), both);
        let update = || Strict::update(db, 1);
        assert_eq!(
            broken(update().set(|s| s.seat.weight, f64::NAN).await),
            both[..1]
        );
        assert_eq!(
            broken(update().inc(|s| s.seat.weight, f64::INFINITY).await),
            both[..1]
        );
        update()
            .mul(|s| s.seat.any, 2.0)
            .await
            .expect("NaN stays NaN");
        let stored = bson::serialize_to_document(&Strict { id: 2, ..one }).expect("encoded");
        let theirs = bench.raw("judged_strict").insert_one(stored).await;
        assert!(theirs.is_err());
    })
    .await;
}

#[tokio::test]
async fn a_violation_says_what_the_function_says() {
    alone("judged_json", async |bench| {
        let name = "admin".to_owned();
        let refused = Room::insert(&bench.db, &Room { name, ..room(1) }).await;
        let Err(Error::Invalid { violations, .. }) = refused else {
            panic!("{refused:?}");
        };
        let json = serde_json::to_value(&violations).expect("JSON");
        let expected =
            serde_json::json!([{ "path": "name", "rule": "with", "message": "is reserved" }]);
        assert_eq!(json, expected);
    })
    .await;
}
