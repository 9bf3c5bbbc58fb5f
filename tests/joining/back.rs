//! The reverse join: the documents that refer to one.

use bson::{DateTime, doc};
use futures::TryStreamExt;
use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

use crate::common::{alone, on_both};
use crate::joining::{Product, entry, id, product};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "hosts")]
struct Host {
    #[serde(rename = "_id")]
    id: Id<Host>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "logmsg")]
struct LogMsg {
    #[serde(rename = "_id")]
    id: i32,
    #[serde(rename = "t")]
    time: DateTime,
    #[parent(Host, sort = -time, unchecked)]
    host: Id<Host>,
    #[parent(Host, sort = seq, unchecked)]
    origin: Option<Id<Host>>,
    seq: i32,
}

fn message(n: i32, host: Id<Host>) -> LogMsg {
    LogMsg {
        id: n,
        time: DateTime::from_millis(i64::from(n / 2)),
        host,
        origin: (n % 2 == 0).then_some(host),
        seq: -n,
    }
}

fn ids(messages: &[LogMsg]) -> Vec<i32> {
    messages.iter().map(|message| message.id).collect()
}

#[tokio::test]
async fn children_come_in_the_declared_order_without_a_sort() {
    on_both("children", async |bench| {
        let db = &bench.db;
        bench.index(&[LogMsg::meta()]).await;
        let (host, other) = (Id::new(), Id::new());
        let messages: Vec<_> = (0..300)
            .map(|n| message(n, if n % 3 == 0 { other } else { host }))
            .collect();
        LogMsg::insert_many(db, &messages).await.expect("stored");
        bench.forget();

        let newest = LogMsg::by_host(db, host).limit(10).await.expect("found");
        assert_eq!(
            ids(&newest),
            [299, 298, 296, 295, 293, 292, 290, 289, 287, 286]
        );
        let plan = bench.plan().await;
        plan.assert_served_by("host");
        assert!(!plan.has("SORT"), "{plan:#?}");
        assert_eq!((plan.keys, plan.documents), (10, 10), "{plan:#?}");

        let next = LogMsg::by_host(db, host)
            .skip(10)
            .limit(2)
            .await
            .expect("found");
        assert_eq!(ids(&next), [284, 283]);
        bench.forget();
        let all = LogMsg::by_host(db, other).await.expect("found");
        let expected: Vec<i32> = (0..300).rev().filter(|n| n % 3 == 0).collect();
        assert_eq!(ids(&all), expected);
        let plan = bench.plan().await;
        assert!(!plan.has("SORT") && !plan.has("COLLSCAN"), "{plan:#?}");

        let smallest = LogMsg::by_origin(db, host).limit(2).await.expect("found");
        assert_eq!(ids(&smallest), [298, 296]);
        let plan = bench.plan().await;
        assert!(!plan.has("SORT"), "{plan:#?}");
        assert_eq!(plan.keys, 2, "{plan:#?}");

        let by_id = LogMsg::by_host(db, host)
            .sort(|m| m.id.asc())
            .limit(2)
            .await
            .expect("found");
        assert_eq!(ids(&by_id), [1, 2]);
        assert_eq!(LogMsg::by_host(db, Id::new()).await.expect("asked"), []);
    })
    .await;
}

#[tokio::test]
async fn children_are_grouped_in_one_command() {
    on_both("children_grouped", async |bench| {
        let db = &bench.db;
        bench.index(&[LogMsg::meta()]).await;
        let (host, other) = (Id::new(), Id::new());
        let messages: Vec<_> = (0..6)
            .map(|n| message(n, if n < 4 { host } else { other }))
            .collect();
        LogMsg::insert_many(db, &messages).await.expect("stored");
        bench.forget();

        let groups = LogMsg::by_host(db, host)
            .group_by(|m| m.time)
            .count()
            .sum(|m| m.seq)
            .await
            .expect("grouped");
        let totals: Vec<(u64, i64)> = groups.into_iter().map(|group| group.totals).collect();
        assert_eq!(totals, [(2, -1), (2, -5)]);
        assert_eq!(bench.sent(), ["aggregate"]);
    })
    .await;
}

#[tokio::test]
async fn children_are_streamed() {
    alone("streamed", async |bench| {
        let db = &bench.db;
        bench.index(&[LogMsg::meta()]).await;
        let host = Id::new();
        let messages: Vec<_> = (0..250).map(|n| message(n, host)).collect();
        LogMsg::insert_many(db, &messages).await.expect("stored");
        bench.forget();
        let mut stream = std::pin::pin!(LogMsg::by_host(db, host).stream());
        let first = stream.try_next().await.expect("read");
        assert_eq!(first.map(|message| message.id), Some(249));
        assert_eq!(bench.sent(), ["find"], "the rest is not read yet");
        let rest: Vec<_> = stream.try_collect().await.expect("read");
        assert_eq!(rest.len(), 249);
        assert_eq!(bench.sent(), ["getMore"]);
    })
    .await;
}

#[tokio::test]
async fn who_holds_a_reference_is_found_by_an_index() {
    on_both("holders", async |bench| {
        let db = &bench.db;
        bench.index(&[Product::meta()]).await;
        let mut products: Vec<Product> = (0..30).map(|n| product(n, &[100])).collect();
        products[3].parts.push(id(7));
        products[5].parts = vec![id(7), id(7)];
        products[6].entries = vec![entry(7)];
        products[8].main = Some(id(7));
        bench.place(&products).await;

        let mut found = Product::by_parts(db, id(7)).await.expect("found");
        found.sort_by_key(|product| product.id);
        assert_eq!(
            found.iter().map(|p| p.id).collect::<Vec<_>>(),
            [3, 5],
            "each once"
        );
        let plan = bench.plan().await;
        plan.assert_served_by("parts");
        assert_eq!(plan.documents, 2, "{plan:#?}");
        let found = Product::by_entries(db, id(7)).await.expect("found");
        assert_eq!(found.iter().map(|p| p.id).collect::<Vec<_>>(), [6]);
        bench.plan().await.assert_served_by("entries.id");
        let found = Product::by_main(db, id(7)).await.expect("found");
        assert_eq!(found.iter().map(|p| p.id).collect::<Vec<_>>(), [8]);
        bench.plan().await.assert_served_by("main");
    })
    .await;
}

/// A copied field is queried without a join (B15).
#[tokio::test]
async fn a_copy_is_asked_without_a_join() {
    alone("copies", async |bench| {
        let db = &bench.db;
        let mut products: Vec<Product> = (0..3).map(|n| product(n, &[])).collect();
        products[1].entries = vec![entry(1)];
        bench.place(&products).await;
        let found = Product::scan(db, |p| p.entries.name.eq("copied"))
            .await
            .expect("found");
        assert_eq!(found.iter().map(|p| p.id).collect::<Vec<_>>(), [1]);
        let sent = bench.only();
        let filter = doc! { "entries.name": { "$eq": "copied" } };
        assert_eq!(sent.get_document("filter").ok(), Some(&filter));
    })
    .await;
}
