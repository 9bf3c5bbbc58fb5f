//! Each type of integer, by each operator and each kind of update, at each end of its range.

use bson::{Bson, doc};
use mongo_model::{Error, MongoEmbed, MongoModel, Result};
use serde::{Deserialize, Serialize};

use crate::common::on_both;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
struct Gauge {
    a: i8,
    b: i16,
    c: i32,
    d: i64,
    e: u8,
    f: u16,
    g: u32,
    h: u64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "gauges")]
struct Panel {
    #[serde(rename = "_id")]
    id: i32,
    now: Gauge,
    #[embed(max = 4)]
    all: Vec<Gauge>,
}

/// All numbers at the least or at the greatest value of their type.
fn panel(id: i32, high: bool) -> Panel {
    let now = match high {
        false => Gauge {
            a: i8::MIN,
            b: i16::MIN,
            c: i32::MIN,
            d: i64::MIN,
            e: 0,
            f: 0,
            g: 0,
            h: 0,
        },
        true => Gauge {
            a: i8::MAX,
            b: i16::MAX,
            c: i32::MAX,
            d: i64::MAX,
            e: u8::MAX,
            f: u16::MAX,
            g: u32::MAX,
            h: i64::MAX as u64,
        },
    };
    Panel {
        id,
        all: vec![now.clone()],
        now,
    }
}

#[track_caller]
fn assert_overflow<T: std::fmt::Debug>(result: Result<T>, field: &str) {
    match &result {
        Err(Error::Overflow { field: named, .. }) => assert_eq!(named, field),
        other => panic!("{field}: {other:?}"),
    }
}

#[tokio::test]
async fn every_operator_stays_in_the_range_of_every_type() {
    on_both("widths", async |bench| {
        let db = &bench.db;
        let (low, high) = (panel(1, false), panel(2, true));
        Panel::insert_many(db, [&low, &high]).await.expect("stored");
        macro_rules! refused {
            ($id:literal, $field:ident, $operator:ident, $by:expr) => {{
                let (now, every) = (
                    concat!("Panel.now.", stringify!($field)),
                    concat!("Panel.all.", stringify!($field)),
                );
                let update = || Panel::update(db, $id);
                let change = || update().$operator(|p| p.now.$field, $by);
                assert_overflow(change().await, now);
                assert_overflow(change().only_if(|p| p.now.e.gte(0)).await, now);
                assert_overflow(change().returning().await, now);
                let stored = if $id == 1 { &low } else { &high };
                let upsert = Panel::upsert(db, stored).$operator(|p| p.now.$field, $by);
                assert_overflow(upsert.await, now);
                let many = Panel::update_many(db, |p| p.id.eq($id));
                let many = many.$operator(|p| p.now.$field, $by).await;
                assert_eq!(many.expect("passed over").matched, 0, "{now}");
                if stringify!($operator) == "inc" {
                    let one = update().inc_where(|p| p.all, |g| g.e.gte(0), |g| g.$field, $by);
                    assert_overflow(one.await, every);
                    let many = Panel::update_many(db, |p| p.id.eq($id));
                    let many = many.inc_where(|p| p.all, |g| g.e.gte(0), |g| g.$field, $by);
                    assert_eq!(many.await.expect("passed over").matched, 0, "{every}");
                }
            }};
        }
        macro_rules! both_ends {
            ($($field:ident: $ty:ty $(, $minus:literal)?;)*) => {$(
                refused!(2, $field, inc, 1);
                refused!(2, $field, inc, <$ty>::try_from(i64::MAX).unwrap_or(<$ty>::MAX));
                refused!(2, $field, mul, 2);
                $(
                    refused!(1, $field, inc, $minus);
                    refused!(1, $field, inc, <$ty>::MIN);
                    refused!(1, $field, mul, $minus);
                    refused!(1, $field, mul, 2);
                    refused!(2, $field, mul, -2);
                )?
            )*};
        }
        both_ends! {
            a: i8, -1;
            b: i16, -1;
            c: i32, -1;
            d: i64, -1;
            e: u8;
            f: u16;
            g: u32;
            h: u64;
        }
        let read = Panel::find(db, |p| p.id.lte(2)).await.expect("readable");
        assert_eq!(read, [low.clone(), high.clone()]);

        // The ends themselves are in the range.
        macro_rules! reached {
            ($($field:ident),*) => {$(
                let update = |id| Panel::update(db, id);
                update(2).mul(|p| p.now.$field, 0).await.expect("0");
                let top = high.now.$field;
                update(2).inc(|p| p.now.$field, top).await.expect("the greatest value");
                update(2).set(|p| p.now.$field, 0).await.expect("0");
                update(2).max(|p| p.now.$field, top).await.expect("the greatest value");
            )*};
        }
        reached!(a, b, c, d, e, f, g, h);
        let read = Panel::get(db, 2).await.expect("readable");
        assert_eq!(read, Some(high));
    })
    .await;
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "strict_gauges", strict, schema_version = 1)]
struct StrictGauge {
    #[serde(rename = "_id")]
    id: i32,
    ratio: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    least: Option<f32>,
    #[check(range = 0..)]
    above: f64,
    #[check(finite = false)]
    raw: f64,
    #[serde(default)]
    #[embed(max = 4)]
    marks: Vec<f64>,
}

#[tokio::test]
async fn floats_of_a_strict_model_are_finite() {
    on_both("widths_strict", async |bench| {
        let db = &bench.db;
        let right = StrictGauge {
            id: 1,
            ratio: 0.5,
            least: None,
            above: 1.0,
            raw: f64::INFINITY,
            marks: vec![0.5],
        };
        StrictGauge::insert(db, &right).await.expect("stored");
        let wrong = StrictGauge {
            id: 2,
            ratio: f64::NAN,
            least: Some(f32::INFINITY),
            above: f64::INFINITY,
            marks: vec![0.5, f64::NEG_INFINITY],
            ..right.clone()
        };
        #[track_caller]
        fn paths<T: std::fmt::Debug>(result: Result<T>) -> Vec<String> {
            match result {
                Err(Error::Invalid { violations, .. }) => {
                    violations.iter().map(ToString::to_string).collect()
                }
                other => panic!("{other:?}"),
            }
        }
        let finite = |paths: &[&str]| -> Vec<String> {
            let texts = paths.iter();
            texts
                .map(|path| format!("{path} must be a finite number"))
                .collect()
        };
        let all = finite(&["ratio", "least", "above", "marks.1"]);
        assert_eq!(paths(StrictGauge::insert(db, &wrong).await), all);
        let update = || StrictGauge::update(db, 1);
        let ratio = finite(&["ratio"]);
        assert_eq!(paths(update().set(|g| g.ratio, f64::NAN).await), ratio);
        assert_eq!(paths(update().mul(|g| g.ratio, f64::INFINITY).await), ratio);
        assert_eq!(paths(update().min(|g| g.ratio, f64::NAN).await), ratio);
        let marks = update().push(|g| g.marks, f64::NAN).await;
        assert_eq!(paths(marks), finite(&["marks"]));
        update()
            .set(|g| g.raw, f64::NEG_INFINITY)
            .await
            .expect("it may be infinite");
        let read = StrictGauge::get(db, 1).await.expect("read");
        assert_eq!(read.map(|one| one.ratio), Some(0.5));
        // The server calculates with 64 bits, and the field holds 32.
        update()
            .set(|g| g.least, f32::MAX)
            .await
            .expect("the greatest");
        let least = finite(&["least"]);
        assert_eq!(paths(update().inc(|g| g.least, f32::MAX).await), least);
        assert_eq!(paths(update().mul(|g| g.least, -2.0).await), least);
        update().inc(|g| g.least, -1.0).await.expect("finite");
        let read = StrictGauge::get(db, 1).await.expect("read");
        assert_eq!(read.and_then(|one| one.least), Some(f32::MAX));
    })
    .await;
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "widths_wide")]
struct Wide {
    #[serde(rename = "_id")]
    id: i32,
    #[check(range = -5..=300)]
    small: u8,
    #[check(range = -300..=5)]
    signed: i8,
}

#[tokio::test]
async fn a_range_wider_than_the_type_leaves_the_limits_of_the_type() {
    on_both("widths_wide", async |bench| {
        let db = &bench.db;
        let (small, signed) = (250, -120);
        let wide = Wide {
            id: 1,
            small,
            signed,
        };
        Wide::insert(db, &wide).await.expect("stored");
        let update = || Wide::update(db, 1);
        let over = update().inc(|w| w.small, 10).await;
        assert!(
            matches!(
                over,
                Err(Error::Overflow {
                    min: 0,
                    max: 255,
                    ..
                })
            ),
            "{over:?}"
        );
        let under = update().mul(|w| w.signed, 2).await;
        assert!(matches!(under, Err(Error::Overflow { min: -128, .. })));
        let broken = update().mul(|w| w.signed, -1).await;
        assert!(matches!(broken, Err(Error::Invalid { .. })), "{broken:?}");
        let read = Wide::get(db, 1).await.expect("can be read");
        assert_eq!(read, Some(wide));
    })
    .await;
}

#[tokio::test]
async fn a_read_names_the_document_and_the_number_that_another_program_widened() {
    on_both("widths_widened", async |bench| {
        let db = &bench.db;
        let gauges = bench.raw("gauges");
        let mut id = 0;
        for (path, value, text) in [
            (
                "now.a",
                Bson::Int32(128),
                "now.a: expected i8, found an int32 that it does not hold",
            ),
            (
                "now.c",
                Bson::Int64(1 << 40),
                "now.c: expected i32, found an int64 that it does not hold",
            ),
            (
                "now.e",
                Bson::Int32(-1),
                "now.e: expected u8, found an int32 that it does not hold",
            ),
            (
                "all.0.g",
                Bson::Int64(-1),
                "all.0.g: expected u32, found an int64 that it does not hold",
            ),
            (
                "all.0.h",
                Bson::Int64(-1),
                "all.0.h: expected u64, found an int64 that it does not hold",
            ),
            (
                "now.d",
                Bson::Double(1e300),
                "now.d: expected i64, found double",
            ),
        ] {
            id += 1;
            Panel::insert(db, &panel(id, true)).await.expect("stored");
            let widened = doc! { "$set": { path: value } };
            gauges
                .update_one(doc! { "_id": id }, widened)
                .await
                .expect("changed");
            let error = Panel::get(db, id).await.expect_err("no value of the type");
            let said = error.to_string();
            assert!(
                said.contains(&id.to_string()) && said.contains("Panel"),
                "{said}"
            );
            let Error::Decode { source, .. } = error else {
                panic!("{said}");
            };
            assert_eq!(source.to_string(), text);
        }
    })
    .await;
}
