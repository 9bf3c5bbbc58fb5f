//! NaN in filters and in pages: it equals itself, is no number's neighbour, and is first in the order of a sort.

use bson::Bson;
use mongo_model::crud::PageToken;
use mongo_model::{MongoModel, Result};
use serde::{Deserialize, Serialize};

use crate::common::alone;

#[derive(Debug, Clone, Serialize, Deserialize, MongoModel)]
#[model(collection = "measured")]
struct Measured {
    #[serde(rename = "_id")]
    id: i32,
    #[index]
    heat: f64,
    /// The same number without an index.
    copy: f64,
    least: Option<f64>,
}

const HEATS: [f64; 9] = [
    f64::NAN,
    f64::INFINITY,
    -1.0,
    -0.0,
    1.5,
    f64::NEG_INFINITY,
    0.0,
    f64::NAN,
    1e300,
];

fn all() -> Vec<Measured> {
    let of = |(id, heat): (i32, f64)| Measured {
        id,
        heat,
        copy: heat,
        least: (id % 2 == 0).then_some(heat),
    };
    (0..).zip(HEATS).map(of).collect()
}

fn ids(found: Result<Vec<Measured>>) -> Vec<i32> {
    let mut ids: Vec<i32> = found.expect("found").iter().map(|one| one.id).collect();
    ids.sort_unstable();
    ids
}

/// The ids that the same condition finds along the index and in a scan.
macro_rules! found {
    ($db:expr, $method:ident $args:tt) => {{
        let served = ids(Measured::find($db, |m| m.heat.$method $args).await);
        let scanned = ids(Measured::scan($db, |m| m.copy.$method $args).await);
        assert_eq!(served, scanned, stringify!($method $args));
        served
    }};
}

#[tokio::test]
async fn a_filter_takes_nan_for_a_value_beside_the_numbers() {
    alone("nan_filters", async |bench| {
        let db = &bench.db;
        bench.index(&[Measured::meta()]).await;
        Measured::insert_many(db, &all()).await.expect("stored");
        let (nan, numbers) = ([0, 7], [1, 2, 3, 4, 5, 6, 8]);
        assert_eq!(found!(db, eq(f64::NAN)), nan);
        assert_eq!(found!(db, eq(-f64::NAN)), nan);
        assert_eq!(found!(db, is_in([f64::NAN, 1.5])), [0, 4, 7]);
        assert_eq!(found!(db, gte(f64::NAN)), nan);
        assert_eq!(found!(db, lte(f64::NAN)), nan);
        assert_eq!(found!(db, gt(f64::NAN)), [0; 0]);
        assert_eq!(found!(db, lt(f64::NAN)), [0; 0]);
        // A range of numbers holds no NaN, not even the widest.
        assert_eq!(found!(db, gte(f64::NEG_INFINITY)), numbers);
        assert_eq!(found!(db, lte(f64::INFINITY)), numbers);
        assert_eq!(found!(db, lt(0.0)), [2, 5]);
        let ne = Measured::scan(db, |m| m.copy.ne(f64::NAN)).await;
        assert_eq!(ids(ne), numbers);
        let ne = Measured::scan(db, |m| m.copy.ne(1.5)).await;
        assert_eq!(ids(ne), [0, 1, 2, 3, 5, 6, 7, 8]);
        let not = Measured::scan(db, |m| !m.copy.lt(0.0)).await;
        assert_eq!(ids(not), [0, 1, 3, 4, 6, 7, 8]);
        // NaN is a value, which null is not.
        let some = Measured::scan(db, |m| m.least.eq(Some(f64::NAN))).await;
        assert_eq!(ids(some), [0]);
        let none = Measured::scan(db, |m| m.least.is_none()).await;
        assert_eq!(ids(none), [1, 3, 5, 7]);
    })
    .await;
}

/// A page that ends with NaN is continued behind it, whichever way the order goes: its token says so, also as text.
#[tokio::test]
async fn pages_go_through_nan_in_both_directions() {
    alone("nan_pages", async |bench| {
        let db = &bench.db;
        bench.index(&[Measured::meta()]).await;
        Measured::insert_many(db, &all()).await.expect("stored");
        let rising = [0, 7, 5, 2, 3, 6, 4, 8, 1];
        for size in [1, 2, 4] {
            let (mut up, mut down) = (Vec::new(), Vec::new());
            let mut after: Option<PageToken> = None;
            loop {
                let sorted = Measured::scan(db, |m| m.all()).sort(|m| m.heat.asc());
                let page = sorted.page(size).after(after).await.expect("a page");
                up.extend(page.items.iter().map(|one| one.id));
                let Some(next) = page.next else { break };
                after = Some(next.to_string().parse().expect("a token"));
            }
            assert_eq!(up, rising, "{size}");
            let mut after: Option<PageToken> = None;
            loop {
                let sorted = Measured::scan(db, |m| m.all()).sort(|m| m.heat.desc());
                let page = sorted.page(size).after(after).await.expect("a page");
                down.extend(page.items.iter().map(|one| one.id));
                let Some(next) = page.next else { break };
                after = Some(next.to_string().parse().expect("a token"));
            }
            // Equal values are in the order of their `_id`s, descending as well.
            let falling: Vec<i32> = rising.iter().rev().copied().collect();
            assert_eq!(down, falling, "{size}");
        }
        let stored = bench.stored("measured", 0).await;
        assert!(matches!(stored.get("heat"), Some(Bson::Double(n)) if n.is_nan()));
    })
    .await;
}
