//! Comparisons of two fields of one document agree with Rust's.

use bson::{Bson, DateTime, doc};
use futures::future::join_all;
use mongo_model::update::Swapped;
use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

use crate::common::{alone, on_both};

#[derive(Debug, Clone, Serialize, Deserialize, MongoModel)]
#[model(collection = "compared")]
struct Span {
    #[serde(rename = "_id")]
    id: Id<Span, i32>,
    #[serde(rename = "l")]
    low: i64,
    high: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    top: Option<i64>,
    name: String,
    alias: String,
    from: DateTime,
    to: DateTime,
}

fn spans() -> Vec<Span> {
    let numbers = [-1, 0, 1];
    let absent = [None, Some(-1), Some(0), Some(1)];
    let mut out = Vec::new();
    for low in numbers {
        for high in absent {
            for top in absent {
                let n = i32::try_from(out.len()).expect("few");
                out.push(Span {
                    id: Id::from_raw(n),
                    low,
                    high,
                    top,
                    name: "$name".to_owned(),
                    alias: if n % 2 == 0 { "$name" } else { "other" }.to_owned(),
                    from: DateTime::from_millis(low),
                    to: DateTime::from_millis(0),
                });
            }
        }
    }
    out
}

/// The documents that the server finds are those that Rust finds.
macro_rules! agrees {
    ($db:expr, $spans:expr, $filter:expr, $rust:expr) => {{
        let found = Span::scan($db, $filter).await.expect("found");
        let mut found: Vec<i32> = found.iter().map(|span| span.id.into_raw()).collect();
        found.sort_unstable();
        let rust: fn(&Span) -> bool = $rust;
        let want = $spans.iter().filter(|span| rust(span));
        let want: Vec<i32> = want.map(|span| span.id.into_raw()).collect();
        assert!(!want.is_empty() && want.len() < $spans.len());
        assert_eq!(found, want, "{}", stringify!($filter));
    }};
}

#[tokio::test]
async fn two_fields_compare_as_in_rust() {
    on_both("compared_fields", async |bench| {
        let (db, spans) = (&bench.db, spans());
        Span::insert_many(db, &spans).await.expect("stored");
        agrees!(db, spans, |s| s.low.lt_field(s.high), |s| s
            .high
            .is_some_and(|high| s.low < high));
        agrees!(db, spans, |s| s.low.lte_field(s.high), |s| s
            .high
            .is_some_and(|high| s.low <= high));
        agrees!(db, spans, |s| s.high.gt_field(s.low), |s| s
            .high
            .is_some_and(|high| high > s.low));
        agrees!(db, spans, |s| s.high.gte_field(s.low), |s| s
            .high
            .is_some_and(|high| high >= s.low));
        agrees!(db, spans, |s| s.high.eq_field(s.top), |s| s.high.is_some()
            && s.high == s.top);
        agrees!(db, spans, |s| s.high.ne_field(s.top), |s| {
            s.high.zip(s.top).is_some_and(|(high, top)| high != top)
        });
        agrees!(db, spans, |s| s.top.lt_field(s.high), |s| {
            s.top.zip(s.high).is_some_and(|(top, high)| top < high)
        });
        agrees!(db, spans, |s| s.name.eq_field(s.alias), |s| s.name
            == s.alias);
        agrees!(db, spans, |s| s.from.lt_field(s.to), |s| s.from < s.to);
        agrees!(db, spans, |s| !s.low.lt_field(s.high), |s| {
            s.high.is_none_or(|high| s.low >= high)
        });
        agrees!(
            db,
            spans,
            |s| s.low.lt_field(s.high).and(s.low.eq(0)),
            |s| { s.low == 0 && s.high.is_some_and(|high| high > 0) }
        );
    })
    .await;
}

#[derive(Debug, Clone, Serialize, Deserialize, MongoModel)]
#[model(collection = "compared_pairs")]
struct Pair {
    #[serde(rename = "_id")]
    id: Id<Pair, i32>,
    one: Option<i64>,
    other: Option<i64>,
    left: Option<f64>,
    right: Option<f64>,
}

/// The pairs for which the server and Rust differ, of each comparison.
macro_rules! differences {
    ($db:expr, $pairs:expr, $one:ident, $other:ident, $($method:ident $rust:tt,)*) => {{$(
        let found = Pair::scan($db, |p| p.$one.$method(p.$other)).await.expect("found");
        let mut found: Vec<i32> = found.iter().map(|pair| pair.id.into_raw()).collect();
        found.sort_unstable();
        let want = $pairs.iter().filter(|pair| {
            pair.$one.zip(pair.$other).is_some_and(|(one, other)| one $rust other)
        });
        let want: Vec<i32> = want.map(|pair| pair.id.into_raw()).collect();
        assert_eq!(found, want, "{}", stringify!($one $rust $other));
    )*}};
}

/// Also where another program has stored a number in another form, and where one is not a number.
#[tokio::test]
async fn all_pairs_of_numbers_compare_as_in_rust() {
    alone("compared_pairs", async |bench| {
        let (db, big) = (&bench.db, (1_i64 << 53) + 1);
        let forms: [(Option<i64>, Option<Bson>); 8] = [
            (None, None),
            (None, Some(Bson::Null)),
            (Some(i64::MIN), Some(Bson::Int64(i64::MIN))),
            (Some(-1), Some(Bson::Int32(-1))),
            (Some(0), Some(Bson::Int64(0))),
            (Some(big - 1), Some(Bson::Int64(big - 1))),
            (Some(big), Some(Bson::Int64(big))),
            (Some(i64::MAX), Some(Bson::Int64(i64::MAX))),
        ];
        let floats = [
            None,
            Some(f64::NAN),
            Some(f64::NEG_INFINITY),
            Some(-0.0),
            Some(0.0),
            Some(1.5),
            Some(f64::INFINITY),
        ];
        let (mut pairs, mut stored) = (Vec::new(), Vec::new());
        for (one, one_form) in &forms {
            for (other, other_form) in &forms {
                let id = i32::try_from(pairs.len()).expect("few");
                let (left, right) = (floats[pairs.len() % 7], floats[pairs.len() / 7 % 7]);
                let mut document = doc! { "_id": id, "left": left, "right": right };
                document.extend(one_form.clone().map(|form| ("one".to_owned(), form)));
                document.extend(other_form.clone().map(|form| ("other".to_owned(), form)));
                stored.push(document);
                let id = Id::from_raw(id);
                let (one, other) = (*one, *other);
                pairs.push(Pair {
                    id,
                    one,
                    other,
                    left,
                    right,
                });
            }
        }
        bench
            .raw("compared_pairs")
            .insert_many(stored)
            .await
            .expect("stored");
        differences!(db, pairs, one, other,
            eq_field ==, ne_field !=, lt_field <, lte_field <=, gt_field >, gte_field >=,);
        differences!(db, pairs, left, right,
            eq_field ==, ne_field !=, lt_field <, lte_field <=, gt_field >, gte_field >=,);
    })
    .await;
}

#[derive(Debug, Clone, Serialize, Deserialize, MongoModel)]
#[model(collection = "compared_halls")]
struct Hall {
    #[serde(rename = "_id")]
    id: Id<Hall, i32>,
    sold: i32,
    capacity: i32,
}

#[tokio::test]
async fn fifty_buyers_of_thirty_seats() {
    on_both("compared_halls", async |bench| {
        let db = &bench.db;
        let hall = Hall {
            id: Id::from_raw(1),
            sold: 0,
            capacity: 30,
        };
        Hall::insert(db, &hall).await.expect("stored");
        bench.forget();
        let buy = |_| async {
            let hall = Hall::update(db, hall.id).inc(|h| h.sold, 1);
            hall.only_if(|h| h.sold.lt_field(h.capacity))
                .await
                .expect("answered")
        };
        let bought = join_all((0..50).map(buy)).await;
        let done = bought.iter().filter(|one| matches!(one, Swapped::Done(_)));
        assert_eq!(done.count(), 30);
        let full = bought.into_iter().filter_map(Swapped::current);
        assert!(full.map(|hall| hall.sold).all(|sold| sold == 30));
        let stored = Hall::get(db, hall.id).await.expect("read").expect("a hall");
        assert_eq!(stored.sold, 30);
    })
    .await;
}
