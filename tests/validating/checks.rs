//! `#[check(..)]`: one rule per field, wherever a value enters.

use bson::{Bson, Document, doc};
use mongo_model::model::CheckRule;
use mongo_model::{
    Error, MongoEmbed, MongoModel, Outcome, Result, sync_validators, validator, verify,
};
use serde::{Deserialize, Serialize};

use crate::common::{Bench, alone, on_both};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
struct Line {
    #[check(not_empty, len = ..=5)]
    name: String,
    #[check(range = 1..=9)]
    qty: i32,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "checked_offers")]
struct Offer {
    #[serde(rename = "_id")]
    #[check(range = 1..)]
    id: i32,
    #[check(len = 3..=8)]
    title: String,
    #[check(len = 2)]
    country: Option<String>,
    #[check(not_empty, pattern = r"^[a-z.]{1,4}$")]
    slug: Option<String>,
    #[check(range = 0..=100)]
    percent: i32,
    #[check(range = 10..)]
    seats: Option<i64>,
    #[check(range = 0.0..1.0)]
    ratio: f64,
    #[check(finite)]
    weight: f64,
    #[check(one_of("new", "paid"))]
    state: String,
    #[check(one_of(1, 2, 5))]
    step: i64,
    #[check(len = 1..=3, each(len = 1..=4))]
    #[embed(max = 20)]
    tags: Vec<String>,
    #[serde(default)]
    #[embed(max = 5)]
    lines: Vec<Line>,
    best: Option<Line>,
}

fn offer(id: i32) -> Offer {
    Offer {
        id,
        title: "abc".to_owned(),
        country: None,
        slug: Some("a.b".to_owned()),
        percent: 50,
        seats: None,
        ratio: 0.5,
        weight: 1.0,
        state: "new".to_owned(),
        step: 1,
        tags: vec!["a".to_owned()],
        lines: Vec::new(),
        best: None,
    }
}

fn line(name: &str, qty: i32) -> Line {
    Line {
        name: name.to_owned(),
        qty,
    }
}

/// An offer that breaks every rule.
fn wrong(id: i32) -> Offer {
    Offer {
        id,
        title: "ab".to_owned(),
        country: Some("ITA".to_owned()),
        slug: Some("abc\n".to_owned()),
        percent: 101,
        seats: Some(9),
        ratio: 1.0,
        weight: f64::NAN,
        state: "sold".to_owned(),
        step: 3,
        tags: vec![
            "a".to_owned(),
            "abcde".to_owned(),
            String::new(),
            "b".to_owned(),
        ],
        lines: vec![line("a", 1), line(" \u{a0}", 0), line("abcdef", 10)],
        best: Some(line("", 0)),
    }
}

const BROKEN: &[&str] = &[
    "title",
    "country",
    "slug",
    "percent",
    "seats",
    "ratio",
    "weight",
    "state",
    "step",
    "tags",
    "tags.1",
    "tags.2",
    "lines.1.name",
    "lines.1.qty",
    "lines.2.name",
    "lines.2.qty",
    "best.name",
    "best.qty",
];

#[track_caller]
fn paths<T: std::fmt::Debug>(result: Result<T>) -> Vec<String> {
    match result.expect_err("a rule is broken") {
        Error::Invalid {
            model: "Offer",
            violations,
            ..
        } => violations.into_iter().map(|one| one.path).collect(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_schema_says_the_same() {
    let schema = validator::json_schema(Offer::meta());
    let properties = schema.get_document("properties").expect("properties");
    let expected = doc! {
        "_id": { "bsonType": ["int", "long"], "minimum": 1_i64, "maximum": i64::from(i32::MAX) },
        "title": { "bsonType": "string", "minLength": 3_i64, "maxLength": 8_i64 },
        "country": { "bsonType": ["string", "null"], "minLength": 2_i64, "maxLength": 2_i64 },
        "slug": {
            "bsonType": ["string", "null"],
            "pattern": "[^\u{9}-\u{d}\u{20}\u{85}\u{a0}\u{1680}\u{2000}-\u{200a}\u{2028}\u{2029}\u{202f}\u{205f}\u{3000}]",
            "allOf": [{ "pattern": r"^[a-z.]{1,4}(?![\s\S])" }],
        },
        "percent": { "bsonType": ["int", "long"], "minimum": 0_i64, "maximum": 100_i64 },
        "seats": { "bsonType": ["int", "long", "null"], "minimum": 10_i64 },
        "ratio": { "bsonType": ["double", "int", "long"], "minimum": 0.0, "maximum": 1.0, "exclusiveMaximum": true },
        "weight": { "bsonType": ["double", "int", "long"], "minimum": f64::MIN, "maximum": f64::MAX },
        "state": { "bsonType": "string", "enum": ["new", "paid"] },
        "step": { "bsonType": ["int", "long"], "enum": [1_i64, 2_i64, 5_i64] },
        "tags": { "bsonType": "array", "maxItems": 3_i64, "minItems": 1_i64, "items": { "bsonType": "string", "minLength": 1_i64, "maxLength": 4_i64 } },
    };
    for (name, expected) in &expected {
        assert_eq!(properties.get(name), Some(expected), "{name}");
    }
}

#[tokio::test]
async fn a_whole_document_is_refused_with_all_violations() {
    alone("checked_documents", async |bench| {
        let db = &bench.db;
        assert_eq!(paths(Offer::insert(db, &wrong(1)).await), BROKEN);
        assert_eq!(paths(Offer::insert_many(db, &[offer(1), wrong(2)]).await), BROKEN);
        assert_eq!(paths(wrong(1).save(db).await), BROKEN);
        assert_eq!(paths(Offer::upsert(db, &wrong(1)).await), BROKEN);
        assert_eq!(bench.sent(), Vec::<String>::new(), "nothing is sent");

        let error = Offer::insert(db, &wrong(1)).await.expect_err("refused");
        assert_eq!(error.http_status(), 422);
        let text = error.to_string();
        assert!(text.starts_with("Offer: title must have a length of 3 to 8; country must have a length of 2; slug must match `^[a-z.]{1,4}$`; percent must be 0 to 100; seats must be at least 10; ratio must be at least 0 and less than 1; weight must be a finite number; state must be one of new, paid"), "{text}");
        assert!(text.ends_with("; and 8 more"), "{text}");
        for secret in ["ITA", "101", "sold", "abcde"] {
            assert!(!text.contains(secret) && !format!("{error:?}").contains(secret), "{secret}");
        }
        let Error::Invalid { violations, .. } = error else {
            panic!("another error")
        };
        assert_eq!(violations[0].rule, CheckRule::Len { min: 3, max: 8 });
        let json = bson::serialize_to_bson(&violations[0]).expect("serialised");
        assert_eq!(
            json,
            Bson::from(doc! { "path": "title", "rule": "len", "message": "must have a length of 3 to 8" })
        );

        // The limits themselves are values.
        let mut least = offer(1);
        (least.percent, least.seats, least.ratio, least.weight) = (0, Some(10), 0.0, f64::MAX);
        least.lines = vec![line("ä\u{10348}abc", 9)];
        Offer::insert(db, &least).await.expect("stored");
    })
    .await;
}

#[tokio::test]
async fn the_value_of_an_operator_is_checked_before_it_is_sent() {
    alone("checked_operators", async |bench| {
        let db = &bench.db;
        Offer::insert(db, &offer(1)).await.expect("stored");
        bench.forget();
        let update = || Offer::update(db, 1);
        let both = update().set(|o| o.title, "x").inc(|o| o.step, 1);
        assert_eq!(paths(both.set(|o| o.state, "y").await), ["title", "state"]);
        assert_eq!(
            paths(update().set_some(|o| o.country, Some("ITA")).await),
            ["country"]
        );
        assert_eq!(paths(update().set(|o| o.ratio, f64::NAN).await), ["ratio"]);
        assert_eq!(paths(update().min(|o| o.percent, -1).await), ["percent"]);
        assert_eq!(paths(update().max(|o| o.percent, 101).await), ["percent"]);
        assert_eq!(paths(update().push(|o| o.tags, "abcde").await), ["tags"]);
        assert_eq!(paths(update().add_to_set(|o| o.tags, "").await), ["tags"]);
        assert_eq!(
            paths(update().set(|o| o.tags, Vec::<String>::new()).await),
            ["tags"]
        );
        assert_eq!(
            paths(update().push(|o| o.lines, line("a", 10)).await),
            ["lines.qty"]
        );
        assert_eq!(
            paths(update().set(|o| o.best, Some(line("", 10))).await),
            ["best.name", "best.qty"]
        );
        assert_eq!(paths(update().set(|o| o.best.qty, 0).await), ["best.qty"]);
        let of_lines = update().set_where(|o| o.lines, |l| l.name.eq("a"), |l| l.qty, 10);
        assert_eq!(paths(of_lines.await), ["lines.qty"]);
        let many = Offer::update_many(db, |o| o.id.gt(0)).set(|o| o.percent, 101);
        assert_eq!(paths(many.await), ["percent"]);
        let if_met = update()
            .only_if(|o| o.percent.eq(50))
            .set(|o| o.percent, -1);
        assert_eq!(paths(if_met.await), ["percent"]);
        assert_eq!(bench.sent(), Vec::<String>::new(), "nothing is sent");
        update()
            .unset(|o| o.country)
            .set(|o| o.seats, None)
            .await
            .expect("changed");
    })
    .await;
}

async fn percent(bench: &Bench, id: i32) -> Option<Bson> {
    bench
        .stored("checked_offers", id)
        .await
        .get("percent")
        .cloned()
}

#[tokio::test]
async fn arithmetic_stays_in_the_range_in_one_round_trip() {
    on_both("checked_arithmetic", async |bench| {
        let db = &bench.db;
        Offer::insert(db, &offer(1)).await.expect("stored");
        bench.forget();
        let update = || Offer::update(db, 1);
        update().inc(|o| o.percent, 50).await.expect("changed");
        assert_eq!(bench.sent(), ["update"], "one round trip");
        assert_eq!(paths(update().inc(|o| o.percent, 1).await), ["percent"]);
        assert_eq!(percent(bench, 1).await, Some(100.into()));
        update().inc(|o| o.percent, -100).await.expect("changed");
        assert_eq!(paths(update().inc(|o| o.percent, -1).await), ["percent"]);
        update().set(|o| o.percent, 7).await.expect("changed");
        assert_eq!(paths(update().mul(|o| o.percent, 15).await), ["percent"]);
        assert_eq!(paths(update().mul(|o| o.percent, -1).await), ["percent"]);
        update().mul(|o| o.percent, 14).await.expect("changed");
        assert_eq!(percent(bench, 1).await, Some(98.into()));

        // Null, and no range with zero in it.
        assert_eq!(paths(update().inc(|o| o.seats, 9).await), ["seats"]);
        assert_eq!(paths(update().mul(|o| o.seats, 100).await), ["seats"]);
        update().inc(|o| o.seats, 10).await.expect("changed");
        assert_eq!(paths(update().inc(|o| o.seats, -1).await), ["seats"]);
        assert_eq!(paths(update().mul(|o| o.seats, 0).await), ["seats"]);

        update().inc(|o| o.ratio, 0.25).await.expect("changed");
        assert_eq!(paths(update().inc(|o| o.ratio, 0.25).await), ["ratio"]);
        assert_eq!(paths(update().mul(|o| o.ratio, -0.5).await), ["ratio"]);
        assert_eq!(paths(update().inc(|o| o.ratio, f64::NAN).await), ["ratio"]);
        update().mul(|o| o.ratio, 0.0).await.expect("changed");
        update().set(|o| o.weight, f64::MAX).await.expect("changed");
        assert_eq!(
            paths(update().inc(|o| o.weight, f64::MAX).await),
            ["weight"]
        );
        assert_eq!(paths(update().mul(|o| o.weight, 2.0).await), ["weight"]);

        // Of elements, and several at once.
        update()
            .push(|o| o.lines, line("a", 8))
            .await
            .expect("changed");
        let inc = |by| update().inc_where(|o| o.lines, |l| l.name.eq("a"), |l| l.qty, by);
        inc(1).await.expect("changed");
        assert_eq!(paths(inc(1).await), ["lines.qty"]);
        let both = update().inc(|o| o.percent, 3).inc(|o| o.seats, -1);
        assert_eq!(paths(both.await), ["percent", "seats"]);
    })
    .await;
}

#[tokio::test]
async fn an_upsert_and_a_returning_update_are_guarded_too() {
    alone("checked_upserts", async |bench| {
        let db = &bench.db;
        let upsert = || Offer::upsert(db, &offer(1)).inc(|o| o.percent, 30);
        assert_eq!(upsert().await.expect("stored").inserted, 1);
        assert_eq!(
            upsert().await.expect("changed"),
            Outcome {
                matched: 1,
                modified: 1,
                ..Outcome::default()
            }
        );
        assert_eq!(paths(upsert().await), ["percent"]);
        let returned = Offer::update(db, 1).inc(|o| o.percent, 30).returning();
        assert_eq!(paths(returned.await), ["percent"]);
        assert_eq!(percent(bench, 1).await, Some(80.into()));
    })
    .await;
}

#[track_caller]
fn impossible<T: std::fmt::Debug>(result: Result<T>, says: &str) {
    match result.expect_err("refused") {
        Error::Impossible { what } => assert!(what.contains(says), "{what}"),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn what_no_filter_can_guard_is_refused() {
    alone("checked_refusals", async |bench| {
        let db = &bench.db;
        let many = || Offer::update_many(db, |o| o.id.gt(0));
        impossible(
            many().inc(|o| o.percent, 1).await,
            "it would pass over the documents",
        );
        impossible(
            many().inc(|o| o.seats, 1).await,
            "it would pass over the documents",
        );
        impossible(
            Offer::update(db, 1).pop_last(|o| o.tags).await,
            "set the whole array",
        );
        impossible(
            Offer::update(db, 1).pull(|o| o.tags, "a").await,
            "set the whole array",
        );
        impossible(
            Offer::update(db, 1).inc(|o| o.step, 1).await,
            "arithmetic on Offer.step",
        );
        assert_eq!(bench.sent(), Vec::<String>::new(), "nothing is sent");
    })
    .await;
}

/// A full array of checked elements.
#[tokio::test]
async fn the_greatest_length_of_an_array_bounds_its_pushes() {
    alone("checked_arrays", async |bench| {
        let db = &bench.db;
        Offer::insert(db, &offer(1)).await.expect("stored");
        let push = || Offer::update(db, 1).push(|o| o.tags, "b");
        push().await.expect("pushed");
        push().await.expect("pushed");
        assert!(matches!(push().await, Err(Error::Full { max: 3, .. })));
        let stored: Document = bench.stored("checked_offers", 1).await;
        assert_eq!(stored.get_array("tags").expect("tags").len(), 3);
    })
    .await;
}

#[tokio::test]
async fn stored_documents_that_break_a_rule_are_counted() {
    alone("checked_verified", async |bench| {
        let db = &bench.db;
        let stored = |offer: &Offer| bson::serialize_to_document(offer).expect("encoded");
        let mut other = offer(3);
        other.lines = vec![line("a", 10), line("b", 11)];
        let documents = [stored(&offer(1)), stored(&wrong(2)), stored(&other)];
        bench.seed("checked_offers", documents).await;
        let found = verify(db).only::<Offer>().await.expect("verified");
        assert!(!found.is_clean());
        let lines = found.invalid.iter().find(|one| one.path == "lines.qty");
        let lines = lines.expect("lines");
        assert_eq!((lines.documents, &lines.ids), (2, &vec![2.into(), 3.into()]));
        assert_eq!(lines.to_string(), "Offer: lines.qty must be 1 to 9: 2 documents break the rule, the first is 2");
        assert!(found.to_string().contains("Offer: title must have a length of 3 to 8: 1 document breaks the rule, the first is 2"), "{found}");
        assert_eq!(found.invalid.len(), 16, "{found}");
    })
    .await;
}

/// The server's validator agrees: what the library refuses is refused, and what it stores is stored.
#[tokio::test]
async fn the_validator_of_the_server_agrees() {
    alone("checked_validator", async |bench| {
        let db = &bench.db;
        sync_validators(db)
            .only::<Offer>()
            .error()
            .await
            .expect("applied");
        let stored = |offer: &Offer| bson::serialize_to_document(offer).expect("encoded");
        let raw = bench.raw("checked_offers");
        raw.insert_one(stored(&offer(1))).await.expect("stored");
        let (all, right) = (stored(&wrong(2)), stored(&offer(2)));
        for path in BROKEN {
            let field = path.split('.').next().expect("a field");
            let mut one = right.clone();
            one.insert(field, all[field].clone());
            let refused = raw.insert_one(one).await;
            assert!(refused.is_err(), "{field}");
        }
    })
    .await;
}
