//! Integers stay in the range of their type: the server calculates with 64 bits, and a model reads 8 to 32 of them.

use bson::doc;
use futures::future::join_all;
use mongo_model::{Error, MongoEmbed, MongoModel, Outcome, Result};
use serde::{Deserialize, Serialize};

use crate::changing::CHANGED;
use crate::common::{Bench, alone, on_both};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "dials")]
struct Dial {
    #[serde(rename = "_id")]
    id: i32,
    a: i8,
    b: i16,
    c: i32,
    d: u8,
    e: u16,
    f: u32,
    g: Option<u8>,
    #[embed(max = 4)]
    marks: Vec<Mark>,
    #[embed(max = 2)]
    tags: Vec<String>,
    ratio: f32,
    weight: f64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
struct Mark {
    name: String,
    n: u8,
}

fn mark(name: &str, n: u8) -> Mark {
    Mark {
        name: name.to_owned(),
        n,
    }
}

fn dial(id: i32) -> Dial {
    Dial {
        id,
        a: 100,
        b: -32_000,
        c: 2_000_000_000,
        d: 250,
        e: 65_000,
        f: 4_000_000_000,
        g: None,
        marks: vec![mark("x", 250), mark("y", 1)],
        tags: Vec::new(),
        ratio: 1.0,
        weight: 1.0,
    }
}

async fn stored(bench: &Bench) {
    let dials = [dial(1), dial(2)];
    Dial::insert_many(&bench.db, &dials).await.expect("stored");
}

#[track_caller]
fn assert_overflow<T: std::fmt::Debug>(result: Result<T>, expected: (&str, i64, i64)) {
    let Err(Error::Overflow { field, min, max }) = &result else {
        panic!("{result:?}");
    };
    assert_eq!((field.as_str(), *min, *max), expected);
}

#[tokio::test]
async fn no_sum_or_product_leaves_the_range_of_its_type() {
    on_both("ranges", async |bench| {
        let db = &bench.db;
        stored(bench).await;
        let update = || Dial::update(db, 1);
        bench.forget();
        assert_overflow(update().inc(|d| d.a, 28).await, ("Dial.a", -128, 127));
        assert_eq!(bench.sent(), ["update", "find"], "one look at why");
        assert_overflow(
            update().inc(|d| d.b, -769).await,
            ("Dial.b", -32_768, 32_767),
        );
        let c = ("Dial.c", i32::MIN.into(), i32::MAX.into());
        assert_overflow(update().inc(|d| d.c, i32::MAX).await, c);
        assert_overflow(update().inc(|d| d.d, 6).await, ("Dial.d", 0, 255));
        assert_overflow(update().inc(|d| d.e, 536).await, ("Dial.e", 0, 65_535));
        let f = ("Dial.f", 0, u32::MAX.into());
        assert_overflow(update().inc(|d| d.f, 294_967_296).await, f);
        assert_overflow(update().mul(|d| d.a, 2).await, ("Dial.a", -128, 127));
        assert_overflow(update().mul(|d| d.a, -2).await, ("Dial.a", -128, 127));
        assert_overflow(update().mul(|d| d.b, -2).await, ("Dial.b", -32_768, 32_767));
        assert_overflow(update().mul(|d| d.f, u32::MAX).await, f);
        let two = update()
            .inc(|d| d.c, 1)
            .inc(|d| d.d, 9)
            .set(|d| d.weight, 2.0);
        assert_overflow(two.await, ("Dial.d", 0, 255));
        assert_eq!(Dial::get(db, 1).await.expect("read"), Some(dial(1)));

        // The last values of the range.
        let edge = update()
            .inc(|d| d.a, 27)
            .inc(|d| d.b, -768)
            .inc(|d| d.d, 5)
            .inc(|d| d.f, 294_967_295)
            .inc(|d| d.g, 255)
            .mul(|d| d.c, -1);
        assert_eq!(edge.await.expect("fits"), CHANGED);
        let read = Dial::get(db, 1).await.expect("read").expect("there");
        let edge = Dial {
            a: 127,
            b: -32_768,
            c: -2_000_000_000,
            d: 255,
            f: u32::MAX,
            g: Some(255),
            ..dial(1)
        };
        assert_eq!(read, edge);
        assert_overflow(update().inc(|d| d.g, 1).await, ("Dial.g", 0, 255));
        // A document that is not there is not found, and one that does not meet the condition is given.
        let gone = Dial::update(db, 9).inc(|d| d.a, 1).await;
        assert!(matches!(gone, Err(Error::NotFound { .. })), "{gone:?}");
        let unmet = update().only_if(|d| d.weight.gt(5.0)).inc(|d| d.a, 1);
        assert!(!unmet.await.expect("an answer").is_done());
        let met = update().only_if(|d| d.weight.lt(5.0)).inc(|d| d.a, 1);
        assert_overflow(met.await, ("Dial.a", -128, 127));
    })
    .await;
}

#[tokio::test]
async fn elements_upserts_and_returned_documents_too() {
    on_both("ranges_of", async |bench| {
        let db = &bench.db;
        stored(bench).await;
        let inc = |name: &'static str| {
            Dial::update(db, 1).inc_where(|d| d.marks, |m| m.name.eq(name), |m| m.n, 10)
        };
        assert_overflow(inc("x").await, ("Dial.marks.n", 0, 255));
        assert_eq!(inc("y").await.expect("fits"), CHANGED);
        let returned = Dial::update(db, 1).inc(|d| d.d, 10).returning().await;
        assert_overflow(returned, ("Dial.d", 0, 255));
        assert_overflow(
            Dial::upsert(db, &dial(1)).inc(|d| d.d, 10).await,
            ("Dial.d", 0, 255),
        );
        let new = Dial::upsert(db, &dial(3)).inc(|d| d.d, 10).await;
        assert_eq!(new.expect("stored").inserted, 1);
        // A full array and a full integer: the first reason that is found.
        let full = Dial::update(db, 1).push_all(|d| d.tags, ["a", "b"]);
        assert_eq!(full.await.expect("fits"), CHANGED);
        let both = || Dial::update(db, 1).push(|d| d.tags, "c");
        assert_overflow(both().inc(|d| d.d, 10).await, ("Dial.d", 0, 255));
        let full = both().inc(|d| d.d, 1).await;
        assert!(matches!(full, Err(Error::Full { max: 2, .. })), "{full:?}");
        let expected = Dial {
            marks: vec![mark("x", 250), mark("y", 11)],
            tags: vec!["a".to_owned(), "b".to_owned()],
            ..dial(1)
        };
        assert_eq!(Dial::get(db, 1).await.expect("read"), Some(expected));
    })
    .await;
}

#[tokio::test]
async fn update_many_passes_over_documents_that_would_overflow() {
    on_both("ranges_many", async |bench| {
        let db = &bench.db;
        let low = Dial { d: 1, ..dial(2) };
        Dial::insert_many(db, [&dial(1), &low, &dial(3)])
            .await
            .expect("stored");
        let many = Dial::update_many(db, |d| d.id.lte(3))
            .inc(|d| d.d, 10)
            .await;
        let changed = Outcome {
            inserted: 0,
            matched: 1,
            modified: 1,
            pending: Vec::new(),
        };
        assert_eq!(many.expect("changed"), changed);
        let read = Dial::find(db, |d| d.id.lte(3)).await.expect("all readable");
        let sums: Vec<u8> = read.iter().map(|dial| dial.d).collect();
        assert_eq!(sums, [250, 11, 250]);
    })
    .await;
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "wide_dials")]
struct Wide {
    #[serde(rename = "_id")]
    id: i32,
    n: i64,
    up: u64,
    #[embed(max = 4)]
    laps: Vec<Lap>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
struct Lap {
    n: i64,
}

#[tokio::test]
async fn update_many_passes_over_what_64_bits_do_not_hold() {
    on_both("ranges_wide", async |bench| {
        let db = &bench.db;
        let new = |id, n, up| Wide {
            id,
            n,
            up,
            laps: vec![Lap { n }],
        };
        let all = [
            new(1, 1, 1),
            new(2, i64::MAX, 1),
            new(3, i64::MIN, 1),
            new(4, 4, i64::MAX as u64),
        ];
        let many = || Wide::update_many(db, |w| w.id.lte(4));
        let read = async || {
            let found = Wide::find(db, |w| w.id.lte(4)).await.expect("read");
            let n = |wide: &Wide| (wide.n, wide.up, wide.laps[0].n);
            found.iter().map(n).collect::<Vec<_>>()
        };
        let (min, max, top) = (i64::MIN, i64::MAX, i64::MAX as u64);
        Wide::insert_many(db, &all).await.expect("stored");
        assert_eq!(
            many()
                .inc(|w| w.n, 1)
                .await
                .expect("passes over one")
                .matched,
            3
        );
        assert_eq!(
            many()
                .inc(|w| w.n, -2)
                .await
                .expect("passes over one")
                .matched,
            3
        );
        assert_eq!(
            read().await,
            [(0, 1, 1), (max - 2, 1, max), (min + 1, 1, min), (3, top, 4)]
        );
        assert_eq!(
            many()
                .inc(|w| w.up, 1)
                .await
                .expect("passes over one")
                .matched,
            3
        );
        assert_eq!(many().mul(|w| w.n, -1).await.expect("all fit").matched, 4);
        assert_eq!(
            many()
                .mul(|w| w.n, 3)
                .await
                .expect("passes over two")
                .matched,
            2
        );
        let laps = many().inc_where(|w| w.laps, |l| l.n.ne(0), |l| l.n, 1);
        assert_eq!(laps.await.expect("passes over one").matched, 3);
        assert_eq!(
            read().await,
            [
                (0, 2, 2),
                (2 - max, 2, max),
                (max, 2, min + 1),
                (-9, top, 5)
            ]
        );
        // One document: the server refuses, and nothing is changed.
        let one = Wide::update(db, 3).inc(|w| w.n, 1).await;
        assert!(one.is_err(), "{one:?}");
    })
    .await;
}

#[tokio::test]
async fn writers_at_once_stop_at_the_end_of_the_range() {
    on_both("ranges_at_once", async |bench| {
        let db = &bench.db;
        stored(bench).await;
        let incs = (0..12).map(|_| Dial::update(db, 1).inc(|d| d.d, 1).into_future());
        let done = join_all(incs).await;
        let fits = done.iter().filter(|result| result.is_ok()).count();
        assert_eq!(fits, 5, "{done:?}");
        let full = |result: &&Result<Outcome>| matches!(result, Err(Error::Overflow { .. }));
        assert_eq!(done.iter().filter(full).count(), 7, "{done:?}");
        let read = Dial::get(db, 1).await.expect("read").expect("there");
        assert_eq!(read.d, 255);
    })
    .await;
}

/// They are values of the types, and read back as such.
#[tokio::test]
async fn what_is_no_number_is_read_as_it_was_stored() {
    alone("ranges_nan", async |bench| {
        let db = &bench.db;
        stored(bench).await;
        let update = || Dial::update(db, 1);
        let read = async || Dial::get(db, 1).await.expect("readable").expect("there");
        update().inc(|d| d.ratio, f32::MAX).await.expect("changed");
        update().inc(|d| d.ratio, f32::MAX).await.expect("changed");
        assert!(read().await.ratio.is_infinite(), "beyond an `f32`");
        update()
            .mul(|d| d.weight, f64::INFINITY)
            .await
            .expect("changed");
        assert!(read().await.weight.is_infinite());
        update()
            .inc(|d| d.weight, f64::NEG_INFINITY)
            .await
            .expect("changed");
        assert!(read().await.weight.is_nan());
        update().max(|d| d.weight, 3.0).await.expect("changed");
        assert!((read().await.weight - 3.0).abs() < f64::EPSILON);
        update().min(|d| d.weight, f64::NAN).await.expect("changed");
        assert!(read().await.weight.is_nan(), "least in the server's order");
        // Another program's number of another width stays within the range.
        bench.seed("dials", [doc! { "_id": 7, "d": 250.0 }]).await;
        let over = Dial::update(db, 7).inc(|d| d.d, 6).await;
        assert_overflow(over, ("Dial.d", 0, 255));
    })
    .await;
}
