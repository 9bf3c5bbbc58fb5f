//! The same options and questions on every kind of read.

use bson::doc;
use futures::TryStreamExt;
use mongo_model::geo::Point;
use mongo_model::{Id, MongoModel, MongoProjection, filter, raw_filter};
use serde::{Deserialize, Serialize};

use crate::common::{Bench, alone, in_set, number, on_both};
use crate::finding::{Order, ids, order};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "beacons")]
#[serde(tag = "kind")]
enum Beacon {
    Buoy(Buoy),
    Light(Light),
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, mongo_model::MongoEmbed)]
struct Buoy {
    #[serde(rename = "_id")]
    id: Id<Beacon>,
    #[index]
    depth: i32,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, mongo_model::MongoEmbed)]
struct Light {
    #[serde(rename = "_id")]
    id: Id<Beacon>,
    #[index]
    height: i32,
}

#[derive(Debug, PartialEq, Deserialize, MongoProjection)]
#[projection(of = Harbour)]
struct Berths {
    berths: i32,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(
    collection = "harbours",
    index(keys(country, -berths, -id)),
    access(largest(country, sort = -berths, limit = 5))
)]
struct Harbour {
    #[serde(rename = "_id")]
    id: i32,
    country: String,
    berths: i32,
    #[index(geo)]
    place: [f64; 2],
}

async fn harbours(bench: &Bench) {
    bench.index(&[Harbour::meta()]).await;
    let all: Vec<Harbour> = (0..200)
        .map(|n| Harbour {
            id: n,
            country: if n % 2 == 0 { "it" } else { "de" }.to_owned(),
            berths: n / 2,
            place: [f64::from(n) / 10.0, 40.0],
        })
        .collect();
    bench.place(&all).await;
}

/// An access pattern takes what a `find` takes.
#[tokio::test]
async fn an_access_pattern_is_narrowed_counted_and_paged() {
    alone("everywhere_pattern", async |bench| {
        harbours(bench).await;
        let db = &bench.db;
        let large = || Harbour::largest(db, "it").filter(|h| h.berths.gte(90));
        let found = large().await.expect("found");
        let found: Vec<i32> = found.iter().map(|harbour| harbour.berths).collect();
        assert_eq!(found, [99, 98, 97, 96, 95]);
        bench.plan().await.assert_served_by("country");
        assert_eq!(large().count().await.expect("counted"), 10);
        bench.plan().await.assert_served_by("country");
        assert!(large().exists().await.expect("asked"));
        let sent = bench.only();
        assert_eq!(number(&sent["limit"]), 1, "{sent}");
        assert_eq!(
            sent.get_document("projection").ok(),
            Some(&doc! { "_id": 1 })
        );
        let none = Harbour::largest(db, "fr").exists().await;
        assert!(!none.expect("asked"));
        let ids = large().limit(2).ids().await.expect("found");
        assert_eq!(ids, [198, 196]);
        let berths = large().limit(1).project::<Berths>().await.expect("found");
        assert_eq!(berths, [Berths { berths: 99 }]);
        let first = large().page(4).await.expect("a page");
        bench.forget();
        let second = large().page(4).after(first.next).await.expect("a page");
        let second: Vec<i32> = second.items.iter().map(|harbour| harbour.berths).collect();
        assert_eq!(second, [95, 94, 93, 92]);
        let plan = bench.plan().await;
        assert!(!plan.has("SORT"), "{plan:#?}");
        // A page reads its documents, the last one of the page before, and the one that says if there is another.
        assert!(plan.keys <= 6 && plan.documents <= 6, "{plan:#?}");
    })
    .await;
}

#[tokio::test]
async fn a_finder_of_a_variant_is_narrowed_and_counted() {
    alone("everywhere_variant", async |bench| {
        bench.index(&[Beacon::meta()]).await;
        let db = &bench.db;
        let mut all = Vec::new();
        for n in 0..6 {
            let id = Id::new();
            all.push(Beacon::from(Buoy { id, depth: n }));
            let id = Id::new();
            all.push(Beacon::from(Light { id, height: n }));
        }
        bench.place(&all).await;
        let deep = || Beacon::find_buoy(db, |b| b.depth.gte(2)).filter(|b| b.buoy.depth.lt(5));
        let found: Vec<Buoy> = deep().sort(|b| b.buoy.depth.asc()).await.expect("found");
        assert_eq!(found.iter().map(|b| b.depth).collect::<Vec<_>>(), [2, 3, 4]);
        assert_eq!(deep().count().await.expect("counted"), 3);
        assert!(deep().exists().await.expect("asked"));
        assert_eq!(deep().ids().await.expect("found").len(), 3);
        let page = deep().page(2).await.expect("a page");
        assert_eq!((page.items.len(), page.next.is_some()), (2, true));
        let one = Beacon::get_buoy(db, found[0].id).exists().await;
        assert!(one.expect("asked"));
        let other = Beacon::get_light(db, found[0].id).exists().await;
        assert!(!other.expect("asked"));
    })
    .await;
}

#[tokio::test]
async fn documents_are_read_by_many_ids() {
    on_both("everywhere_get_many", async |bench| {
        harbours(bench).await;
        let db = &bench.db;
        let found = Harbour::get_many(db, [7, 500, 3, 7, 501, 500]).await;
        let found = found.expect("found");
        let ids: Vec<i32> = found.iter().map(|harbour| harbour.id).collect();
        assert_eq!(
            (ids.as_slice(), found.missing()),
            (&[7, 3, 7][..], &[500, 501][..])
        );
        let sent = bench.only();
        assert_eq!(sent.get_str("find").ok(), Some("harbours"));
        bench.explain(sent).await.assert_served_by("_id");
        let none = Harbour::get_many(db, Vec::<i32>::new()).await;
        assert!(none.expect("found").is_empty());
        assert_eq!(bench.sent(), [""; 0]);
        let slots = Harbour::get_many(db, &[500, 3]).keep_slots().await;
        let slots = slots.expect("found").into_vec();
        assert_eq!((slots.len(), slots[0].is_none()), (2, true));
        let sorted = Harbour::get_many(db, [1, 9, 5])
            .filter(|h| h.berths.gt(0))
            .sort(|h| h.berths.desc())
            .project::<Berths>()
            .await
            .expect("found");
        let sorted: Vec<i32> = sorted.values().iter().map(|one| one.berths).collect();
        assert_eq!(sorted, [4, 2]);
    })
    .await;
}

/// A limit of 0 is no documents, and no command.
#[tokio::test]
async fn a_limit_of_zero_is_zero() {
    alone("everywhere_zero", async |bench| {
        bench.orders(&[order(1), order(2)]).await;
        let db = &bench.db;
        let all = || Order::find(db, |o| o.code.gte("")).limit(0);
        assert!(all().await.expect("found").is_empty());
        assert!(all().ids().await.expect("found").is_empty());
        assert!(!all().exists().await.expect("asked"));
        let stream: Vec<Order> = all().stream().try_collect().await.expect("read");
        assert!(stream.is_empty());
        let count = Order::count(db, |o| o.code.gte("")).limit(0).await;
        assert_eq!(count.expect("counted"), 0);
        let fresh = Order::find(db, |o| o.code.gte("")).limit(0).fresh().await;
        assert!(fresh.expect("found").is_empty());
        let many = Order::get_many(db, [1, 2]).limit(0).await;
        assert!(many.expect("found").is_empty());
        assert_eq!(bench.sent(), [""; 0]);
        // The count is that of the filter.
        assert_eq!(all().count().await.expect("counted"), 2);
    })
    .await;
}

#[tokio::test]
async fn every_read_takes_a_further_filter() {
    alone("everywhere_filter", async |bench| {
        bench.orders(&(1..=6).map(order).collect::<Vec<_>>()).await;
        let db = &bench.db;
        let heavy = || Order::scan(db, |o| o.all()).filter(|o| o.weight.gt(4));
        assert_eq!(ids(&heavy().await.expect("found")), [5, 6]);
        let one = Order::find_one(db, |o| o.code.gte("")).filter(|o| o.weight.eq(3));
        assert_eq!(one.await.expect("found").map(|o| o.id), Some(3));
        let fresh = Order::find(db, |o| o.code.gte(""))
            .filter(|o| o.weight.lte(2))
            .fresh();
        assert_eq!(ids(&fresh.await.expect("found")), [1, 2]);
        let of_ids = Order::find(db, |o| o.code.gte("")).ids();
        let of_ids = of_ids
            .filter(|o| o.weight.gt(2))
            .sort(|o| o.id.asc())
            .skip(1);
        assert_eq!(of_ids.await.expect("found"), [4, 5, 6]);
        assert!(
            Order::exists(db, |o| o.code.eq("code-3"))
                .await
                .expect("asked")
        );
        assert!(
            !Order::exists(db, |o| o.code.eq("none"))
                .await
                .expect("asked")
        );
        assert!(!Order::get(db, 9).exists().await.expect("asked"));
    })
    .await;
}

#[tokio::test]
async fn a_question_is_asked_in_a_session() {
    in_set("everywhere_session", async |bench| {
        bench.orders(&[order(1)]).await;
        let db = &bench.db;
        let mut session = bench.transaction().await;
        Order::insert(db, &order(2))
            .driver_session(&mut session)
            .await
            .expect("stored");
        let inside = Order::get(db, 2)
            .exists()
            .driver_session(&mut session)
            .await;
        assert!(inside.expect("asked"));
        let found = Order::get_many(db, [1, 2])
            .driver_session(&mut session)
            .await;
        assert_eq!(found.expect("found").len(), 2);
        assert!(!Order::get(db, 2).exists().await.expect("asked"));
        session.abort_transaction().await.expect("aborted");
    })
    .await;
}

/// The places of `near` that do not compile are those that the server refuses.
#[tokio::test]
async fn near_is_refused_by_the_server_where_it_does_not_compile() {
    alone("everywhere_near", async |bench| {
        harbours(bench).await;
        let db = &bench.db;
        let near = doc! { "place": { "$nearSphere": { "$geometry": { "type": "Point", "coordinates": [1.0, 40.0] }, "$maxDistance": 1.0 } } };
        for refused in [
            doc! { "$or": [&near, { "_id": 1 }] },
            doc! { "$nor": [&near] },
            doc! { "$and": [&near, { "place": { "$nearSphere": { "$geometry": { "type": "Point", "coordinates": [2.0, 40.0] } } } }] },
        ] {
            let found = Harbour::scan(db, |_| raw_filter(refused.clone())).await;
            assert!(found.is_err(), "{refused}");
        }
        let inside = Harbour::find(db, |h| h.place.near(Point { lng: 1.0, lat: 40.0 }, 10_000.0));
        let near = inside.await.expect("found").len();
        bench.forget();
        let around = || Harbour::find(db, |h| h.place.within_circle(Point { lng: 1.0, lat: 40.0 }, 10_000.0));
        assert_eq!(around().await.expect("found").len(), near);
        bench.plan().await.assert_served_by("place");
        let counted = around().count().await.expect("counted");
        assert_eq!(counted, near as u64);
        bench.plan().await.assert_served_by("place");
        let other = Harbour::scan(db, |h| !h.place.within_circle(Point { lng: 1.0, lat: 40.0 }, 10_000.0)).count();
        assert_eq!(other.await.expect("counted"), 200 - near as u64);
        // Narrowed by `near`, a find is sorted by distance.
        let sorted = Harbour::scan(db, |_| filter::everything())
            .filter(|h| h.place.near(Point { lng: 5.0, lat: 40.0 }, 30_000.0));
        let sorted = sorted.limit(1).await.expect("found");
        assert_eq!(sorted[0].id, 50);
    })
    .await;
}
