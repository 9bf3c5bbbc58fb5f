//! Every filter that `find` accepts is served by an index: the server's `explain` shows it.

use bson::doc;
use mongo_model::geo::Point;
use mongo_model::{Error, MongoModel, raw_filter};

use crate::common::{Bench, alone};
use crate::finding::{Address, Order, ids, line, order};

async fn shop(bench: &Bench) {
    let mut orders: Vec<_> = (0..50).map(order).collect();
    for order in &mut orders {
        order.address = Some(Address {
            city: format!("city-{}", order.id % 10),
            zip: format!("zip-{}", order.id % 10),
        });
        order.lines = vec![line(&format!("sku-{}", order.id % 10), order.id)];
        order.tags = vec![format!("tag-{}", order.id % 10)];
        order.coupon = (order.id % 10 == 3).then(|| "c".to_owned());
        order.note = Some(format!("note-{}", order.id % 10));
    }
    bench.orders(&orders).await;
}

/// Runs `find` and `count` with the filter; both find `$n` documents, by an index that starts with `$key`.
macro_rules! served {
    ($bench:expr, $key:literal, $n:literal, $filter:expr) => {{
        let found = Order::find(&$bench.db, $filter).await.expect("found");
        assert_eq!(found.len(), $n);
        let plan = $bench.plan().await;
        plan.assert_served_by($key);
        assert!(plan.documents <= $n, "{plan:#?}");
        let count = Order::count(&$bench.db, $filter).await.expect("counted");
        assert_eq!(count, $n);
        $bench.plan().await.assert_served_by($key);
    }};
}

#[tokio::test]
async fn a_filter_that_compiles_is_served() {
    alone("served", async |bench| {
        shop(bench).await;
        served!(bench, "code", 1, |o| o.code.eq("code-7"));
        served!(bench, "code", 2, |o| o.code.is_in(["code-7", "code-8"]));
        served!(bench, "code", 11, |o| o.code.starts_with("code-1"));
        served!(bench, "code", 2, |o| o
            .code
            .gte("code-8")
            .and(o.code.lt("code-9a")));
        served!(bench, "status", 50, |o| o.status.eq("open"));
        served!(bench, "note", 5, |o| o.note.eq("note-3"));
        served!(bench, "address.city", 5, |o| o.address.city.eq("city-3"));
        served!(bench, "address.zip", 5, |o| o.address.zip.eq("zip-3"));
        served!(bench, "lines.sku", 5, |o| o.lines.sku.eq("sku-3"));
        served!(bench, "lines.sku", 5, |o| o
            .lines
            .any(|l| l.sku.eq("sku-3")));
        served!(bench, "tags", 5, |o| o.tags.contains("tag-3"));
        served!(bench, "token", 1, |o| o.token.eq("token-4"));
        served!(bench, "coupon", 5, |o| o.coupon.eq("c"));
        served!(bench, "weight", 4, |o| o.weight.lt(15));
        served!(bench, "weight", 1, |o| o.weight.eq(15));
        served!(bench, "weight", 2, |o| o.weight.is_in([2, 15, 16]));
    })
    .await;
}

#[tokio::test]
async fn joins_of_served_filters_are_served() {
    alone("joined", async |bench| {
        shop(bench).await;
        let db = &bench.db;
        let found = Order::find(db, |o| o.placed.eq(7).and(o.code.eq("code-7"))).await;
        assert_eq!(ids(&found.expect("found")), [7]);
        bench.plan().await.assert_served_by("code");
        let found = Order::find(db, |o| o.code.eq("code-7").or(o.note.eq("note-3"))).await;
        assert_eq!(ids(&found.expect("found")), [3, 7, 13, 23, 33, 43]);
        let plan = bench.plan().await;
        assert!(plan.has("OR") && !plan.has("COLLSCAN"), "{plan:#?}");
        assert_eq!(plan.documents, 6, "{plan:#?}");
    })
    .await;
}

#[tokio::test]
async fn an_index_goes_on_with_the_sort() {
    alone("sorted", async |bench| {
        shop(bench).await;
        let found = Order::find(&bench.db, |o| o.status.eq("open"))
            .sort(|o| o.placed.desc())
            .limit(3)
            .await
            .expect("found");
        let ids: Vec<i32> = found.iter().map(|order| order.id).collect();
        assert_eq!(ids, [49, 48, 47]);
        let plan = bench.plan().await;
        plan.assert_served_by("status");
        assert!(!plan.has("SORT"), "{plan:#?}");
        assert_eq!((plan.keys, plan.documents), (3, 3), "{plan:#?}");
    })
    .await;
}

#[tokio::test]
async fn get_goes_by_the_id_alone() {
    alone("by_id", async |bench| {
        shop(bench).await;
        let found = Order::get(&bench.db, 7).await.expect("found");
        assert_eq!(found.map(|order| order.id), Some(7));
        let plan = bench.plan().await;
        assert_eq!(
            plan.stages.last().map(String::as_str),
            Some("IDHACK"),
            "{plan:#?}"
        );
        assert_eq!((plan.keys, plan.documents), (1, 1), "{plan:#?}");
        let found = Order::find(&bench.db, |o| o.id.is_in([7, 8])).await;
        assert_eq!(ids(&found.expect("found")), [7, 8]);
        bench.plan().await.assert_served_by("_id");
    })
    .await;
}

#[tokio::test]
async fn a_scan_is_a_scan() {
    alone("scanned", async |bench| {
        shop(bench).await;
        let found = Order::scan(&bench.db, |o| o.placed.eq(7)).await;
        assert_eq!(ids(&found.expect("found")), [7]);
        let plan = bench.plan().await;
        assert!(plan.has("COLLSCAN"), "{plan:#?}");
        assert_eq!(plan.documents, 50);
    })
    .await;
}

#[tokio::test]
async fn words_and_places_are_found() {
    alone("special", async |bench| {
        let db = &bench.db;
        let at = |id, title: &str, place| Order {
            title: title.to_owned(),
            place,
            ..order(id)
        };
        bench
            .orders(&[
                at(1, "left-handed smoke shifter", [12.5, 41.9]),
                at(2, "smoke pump", [12.6, 41.9]),
                at(3, "blue hose", [-0.1, 51.5]),
            ])
            .await;
        let found = Order::find(db, |o| o.title.text("smoke"))
            .await
            .expect("found");
        assert_eq!(ids(&found), [1, 2]);
        let plan = bench.plan().await;
        assert!(plan.has("TEXT_MATCH") && !plan.has("COLLSCAN"), "{plan:#?}");
        let both = Order::find(db, |o| o.title.text("smoke").and(o.code.eq("code-2"))).await;
        assert_eq!(ids(&both.expect("found")), [2]);
        assert_eq!(
            Order::count(db, |o| o.title.text("smoke"))
                .await
                .expect("counted"),
            2
        );
        bench.forget();

        let near = Order::find(db, |o| o.place.near(Point { lng: 12.61, lat: 41.9 }, 100_000.0)).await;
        let near: Vec<i32> = near.expect("found").iter().map(|order| order.id).collect();
        assert_eq!(near, [2, 1], "nearest first");
        let plan = bench.plan().await;
        assert!(
            plan.has("GEO_NEAR_2DSPHERE") && !plan.has("COLLSCAN"),
            "{plan:#?}"
        );
        let one = Order::find(db, |o| o.place.near(Point { lng: 12.61, lat: 41.9 }, 2_000.0)).await;
        assert_eq!(ids(&one.expect("found")), [2]);

        bench.forget();
        let inside = Order::count(db, |o| {
            o.place
                .within_circle(Point { lng: 12.61, lat: 41.9 }, 100_000.0)
                .and(o.code.eq("code-2"))
        });
        assert_eq!(inside.await.expect("counted"), 1);
        bench.forget();
        let inside = Order::find(db, |o| o.place.within_circle(Point { lng: 12.61, lat: 41.9 }, 100_000.0));
        assert_eq!(ids(&inside.await.expect("found")), [1, 2]);
        bench.plan().await.assert_served_by("place");
        // A filter that is written by hand is looked at when it is sent.
        let near = doc! { "place": { "$nearSphere": { "$geometry": { "type": "Point", "coordinates": [12.61, 41.9] } } } };
        let counted = Order::count(db, |o| o.code.eq("code-2").and(raw_filter(near)));
        let error = counted.await.expect_err("refused");
        assert_eq!(
            error.to_string(),
            "a count of Order has a filter with `near`, which the server answers in a `find` only"
        );
        assert!(matches!(error, Error::OperatorRefused { .. }));
        assert!(bench.sent().is_empty());
    })
    .await;
}
