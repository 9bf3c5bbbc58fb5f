//! `#[model(check(start < end))]`: comparisons of fields, wherever one of them gets a value.

use bson::{Bson, DateTime, doc};
use mongo_model::update::Swapped;
use mongo_model::{Error, MongoModel, Result, plan_validators, sync_validators, verify};
use serde::{Deserialize, Serialize};

use crate::common::{alone, on_both};

const TWIN: &str = "compared_twins";

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(
    collection = "compared_offers",
    check(start < end, low <= high),
    check(qty * price <= limit, a + 2 * b != 7)
)]
struct Offer {
    #[serde(rename = "_id")]
    id: i32,
    #[serde(rename = "from")]
    start: DateTime,
    end: Option<DateTime>,
    low: i64,
    high: Option<f64>,
    qty: i32,
    price: f64,
    limit: f64,
    a: i32,
    b: i64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

fn offer(id: i32) -> Offer {
    Offer {
        id,
        start: DateTime::from_millis(1_000),
        end: Some(DateTime::from_millis(2_000)),
        low: 1,
        high: Some(10.0),
        qty: 2,
        price: 1.5,
        limit: 5.0,
        a: 1,
        b: 1,
        note: None,
    }
}

#[track_caller]
fn broken<T: std::fmt::Debug>(result: Result<T>) -> Vec<String> {
    match result.expect_err("a comparison is not met") {
        Error::Invalid {
            model: "Offer",
            violations,
            ..
        } => violations.iter().map(ToString::to_string).collect(),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn whole_documents_are_compared_before_they_are_sent() {
    alone("comparing_whole", async |bench| {
        let db = &bench.db;
        let wrong = Offer {
            end: Some(DateTime::from_millis(1_000)),
            high: Some(0.5),
            price: 2.6,
            b: 3,
            ..offer(1)
        };
        let all = [
            "from must meet `from < end`",
            "low must meet `low <= high`",
            "qty must meet `qty * price <= limit`",
            "a must meet `a + 2 * b != 7`",
        ];
        assert_eq!(broken(Offer::insert(db, &wrong).await), all);
        assert_eq!(broken(wrong.save(db).await), all);
        assert_eq!(broken(Offer::upsert(db, &wrong).await), all);
        assert_eq!(bench.count(), 0);
        let error = Offer::insert(db, &wrong).await.expect_err("refused");
        let Error::Invalid { violations, .. } = &error else {
            panic!("{error:?}")
        };
        let body = bson::serialize_to_document(&violations[0]).expect("encoded");
        assert_eq!(
            body,
            doc! { "path": "from", "rule": "check", "message": "must meet `from < end`" }
        );
        // A side without a value meets every comparison.
        let absent = Offer {
            end: None,
            high: None,
            ..offer(1)
        };
        Offer::insert(db, &absent).await.expect("stored");
    })
    .await;
}

#[tokio::test]
async fn the_command_of_an_operator_carries_the_comparison() {
    on_both("comparing_operators", async |bench| {
        let db = &bench.db;
        Offer::insert(db, &offer(1)).await.expect("stored");
        let update = || Offer::update(db, 1);
        bench.forget();
        update().inc(|o| o.low, 9).await.expect("10 <= 10");
        assert_eq!(bench.sent().len(), 1);
        let low = ["low must meet `low <= high`"];
        assert_eq!(broken(update().inc(|o| o.low, 1).await), low);
        assert_eq!(broken(update().mul(|o| o.low, 2).await), low);
        assert_eq!(broken(update().max(|o| o.low, 11).await), low);
        assert_eq!(broken(update().min(|o| o.high, Some(9.9)).await), low);
        assert_eq!(broken(update().set(|o| o.low, 11).await), low);
        assert_eq!(broken(update().set(|o| o.low, 11).returning().await), low);
        let later = DateTime::from_millis(2_000);
        let dates = ["from must meet `from < end`"];
        assert_eq!(broken(update().set(|o| o.start, later).await), dates);
        let product = ["qty must meet `qty * price <= limit`"];
        assert_eq!(broken(update().inc(|o| o.qty, 2).await), product);
        assert_eq!(broken(update().mul(|o| o.price, 2.0).await), product);
        let sum = ["a must meet `a + 2 * b != 7`"];
        assert_eq!(broken(update().inc(|o| o.a, 4).await), sum);
        assert_eq!(
            bench.stored("compared_offers", 1).await.get_i64("low").ok(),
            Some(10)
        );

        // All changes of one update count together, and what is known before is refused without a command.
        let both = update().set(|o| o.low, 20).set(|o| o.high, Some(20.5));
        both.await.expect("moved together");
        bench.forget();
        let known = update()
            .set(|o| o.low, 20)
            .set(|o| o.high, Some(19.5))
            .await;
        assert_eq!(broken(known), low);
        assert_eq!(bench.count(), 0);
        let without = update().unset(|o| o.high).inc(|o| o.low, 100);
        without.await.expect("an absent side");
        update()
            .max(|o| o.high, Some(120.0))
            .await
            .expect("120 <= 120");
        assert_eq!(broken(update().min(|o| o.high, Some(119.0)).await), low);
        let none = update().set(|o| o.high, None).inc(|o| o.low, 100);
        none.await.expect("a null side");
        // A field that no comparison names gets no condition.
        bench.forget();
        update()
            .set(|o| o.note, Some("a".to_owned()))
            .await
            .expect("set");
        assert!(!bench.only().to_string().contains("$expr"));

        // An unmet condition of the program is an answer, and an absent document is not found.
        let unmet = update().inc(|o| o.qty, 9).only_if(|o| o.a.eq(5)).await;
        assert!(matches!(unmet, Ok(Swapped::Not(_))), "{unmet:?}");
        let absent = Offer::update(db, 9).inc(|o| o.qty, 1).await;
        assert!(matches!(absent, Err(Error::NotFound { .. })), "{absent:?}");
        let upsert = Offer::upsert(db, &offer(1)).inc(|o| o.qty, 9).await;
        assert_eq!(broken(upsert), product);
        let new = Offer::upsert(db, &offer(2)).inc(|o| o.qty, 9).await;
        new.expect("the new document is stored");

        // Many documents could be passed over silently.
        let many = Offer::update_many(db, |o| o.id.is_in([1, 2]))
            .inc(|o| o.qty, 1)
            .await;
        assert!(matches!(many, Err(Error::Impossible { .. })), "{many:?}");
        let many = Offer::update_many(db, |o| o.id.is_in([1, 2]))
            .set(|o| o.low, 1)
            .set(|o| o.high, Some(2.0));
        assert_eq!(many.await.expect("constants").matched, 2);
    })
    .await;
}

#[tokio::test]
async fn the_validator_compares_too_and_stored_documents_are_counted() {
    alone("comparing_server", async |bench| {
        let db = &bench.db;
        sync_validators(db)
            .only::<Offer>()
            .error()
            .await
            .expect("applied");
        assert!(
            plan_validators(db)
                .only::<Offer>()
                .error()
                .await
                .expect("planned")
                .is_empty()
        );
        let offers = bench.raw("compared_offers");
        let mut raw = bson::serialize_to_document(&offer(1)).expect("encoded");
        offers.insert_one(&raw).await.expect("right");
        raw.insert("_id", 2);
        raw.insert("low", 11_i64);
        offers.insert_one(&raw).await.expect_err("refused");
        raw.remove("high");
        offers.insert_one(&raw).await.expect("an absent side");

        db.run_command(doc! { "collMod": "compared_offers", "validator": {} })
            .await
            .expect("off");
        raw.insert("_id", 3);
        raw.insert("high", 1.0);
        offers.insert_one(&raw).await.expect("stored");
        bench.forget();
        let plan = plan_validators(db).only::<Offer>().await.expect("planned");
        assert_eq!(bench.sent(), ["listCollections", "aggregate"]);
        assert_eq!(plan.changes[0].broken, 1);
        assert_eq!(plan.changes[0].examples, [Bson::Int32(3)]);
        assert_eq!(
            plan.to_string(),
            "compared_offers\n  add       moderate, warn\n  broken    by 1 document: 3\n"
        );
        let found = verify(db).only::<Offer>().await.expect("verified");
        assert_eq!(found.invalid.len(), 1, "{found:?}");
        assert_eq!(found.invalid[0].ids, [Bson::Int32(3)]);
        assert_eq!(
            found.invalid[0].to_string(),
            "Offer: low must meet `low <= high`: 1 document breaks the rule, the first is 3"
        );
    })
    .await;
}

/// Every change that the library refuses is one that the validator refuses, and the other way around.
#[tokio::test]
async fn random_changes_are_refused_by_both_or_by_none() {
    alone("comparing_agreeing", async |bench| {
        let db = &bench.db;
        let plan = plan_validators(db).only::<Offer>().await.expect("planned");
        let create = doc! { "create": TWIN, "validator": &plan.changes[0].validator };
        db.run_command(create).await.expect("created");
        let twins = bench.raw(TWIN);
        let first = offer(1);
        Offer::insert(db, &first).await.expect("stored");
        let raw = bson::serialize_to_document(&first).expect("encoded");
        twins.insert_one(raw).await.expect("stored");
        let mut seed = 20_260_301_u64;
        let mut below = |n: u64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (seed >> 33) % n
        };
        let floats = [
            -3.0, -0.0, 0.1, 0.3, 0.5, 1.0, 2.5, 7.0, 1e300, f64::NAN, f64::INFINITY, f64::NEG_INFINITY,
        ];
        let mut refused = 0;
        for step in 0..900 {
            let int = i32::try_from(below(9)).expect("small") - 3;
            let float = floats[usize::try_from(below(floats.len() as u64)).expect("small")];
            let date = DateTime::from_millis(1_000 * i64::from(int));
            let update = || Offer::update(db, 1);
            macro_rules! both {
                ($call:expr, $($sent:tt)+) => {{
                    let sent = doc! $($sent)+;
                    let ours = $call.await;
                    let theirs = twins.update_one(doc! { "_id": 1 }, sent.clone()).await;
                    match (&ours, &theirs) {
                        (Ok(_), Ok(_)) => {}
                        (Err(Error::Invalid { .. }), Err(_)) => refused += 1,
                        _ => panic!("{sent} of {}: {ours:?} {theirs:?}", bench.stored("compared_offers", 1).await),
                    }
                }};
            }
            match below(19) {
                0 => both!(update().set(|o| o.start, date), { "$set": { "from": date } }),
                1 => both!(update().set(|o| o.end, Some(date)), { "$set": { "end": date } }),
                2 => both!(update().min(|o| o.start, date), { "$min": { "from": date } }),
                3 => both!(update().max(|o| o.end, Some(date)), { "$max": { "end": date } }),
                4 => both!(update().unset(|o| o.end), { "$unset": { "end": "" } }),
                5 => both!(update().inc(|o| o.low, i64::from(int)), { "$inc": { "low": i64::from(int) } }),
                6 => both!(update().set(|o| o.low, i64::from(int)), { "$set": { "low": i64::from(int) } }),
                7 => both!(update().max(|o| o.high, Some(float)), { "$max": { "high": float } }),
                8 => both!(update().min(|o| o.high, Some(float)), { "$min": { "high": float } }),
                9 => both!(update().set(|o| o.high, Some(float)), { "$set": { "high": float } }),
                10 => both!(update().unset(|o| o.high), { "$unset": { "high": "" } }),
                11 => both!(update().set(|o| o.qty, int), { "$set": { "qty": int } }),
                12 => both!(update().inc(|o| o.qty, int), { "$inc": { "qty": int } }),
                13 => both!(update().set(|o| o.price, float), { "$set": { "price": float } }),
                14 => both!(update().inc(|o| o.price, float), { "$inc": { "price": float } }),
                15 => both!(update().set(|o| o.limit, float), { "$set": { "limit": float } }),
                16 => both!(update().set(|o| o.a, int), { "$set": { "a": int } }),
                17 => both!(update().set(|o| o.b, i64::from(int)), { "$set": { "b": i64::from(int) } }),
                _ => both!(update().inc(|o| o.a, int).set(|o| o.b, 3), { "$inc": { "a": int }, "$set": { "b": 3_i64 } }),
            }
            if step % 50 == 0 {
                let theirs = twins.find_one(doc! { "_id": 1 }).await.expect("read");
                let theirs = theirs.expect("there");
                let ours = bench.stored("compared_offers", 1).await;
                assert_eq!(Bson::from(ours).to_string(), Bson::from(theirs).to_string());
            }
        }
        assert!((100..800).contains(&refused), "{refused}");
    })
    .await;
}
