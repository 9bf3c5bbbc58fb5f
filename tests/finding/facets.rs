//! Facets: one query, counted by several keys.

use bson::{DateTime, doc};
use mongo_model::crud::Group;
use mongo_model::{Error, MongoModel, raw_filter, zone};
use serde::{Deserialize, Serialize};

use crate::common::{in_set, on_both};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "shirts")]
struct Shirt {
    #[serde(rename = "_id")]
    id: i32,
    #[index]
    shop: i32,
    colour: String,
    size: Option<i32>,
    since: DateTime,
}

fn shirt(id: i32) -> Shirt {
    Shirt {
        id,
        shop: id % 2,
        colour: if id < 4 { "red" } else { "blue" }.to_owned(),
        size: (id != 6).then_some(id % 3),
        since: DateTime::from_millis(i64::from(id) * 43_200_000),
    }
}

fn counts<K: Clone>(groups: &[Group<K, u64>]) -> Vec<(K, u64)> {
    let groups = groups.iter();
    groups
        .map(|group| (group.key.clone(), group.totals))
        .collect()
}

#[tokio::test]
async fn one_command_counts_by_several_keys() {
    on_both("facets", async |bench| {
        bench.index(&[Shirt::meta()]).await;
        bench.place(&(0..8).map(shirt).collect::<Vec<_>>()).await;
        let db = &bench.db;
        // 0, 2, 4 and 6.
        let (colours, sizes, days) = Shirt::find(db, |s| s.shop.eq(0))
            .facet(|s| (s.colour, (s.size, s.colour), s.since.day_in(zone!("UTC"))))
            .comment("choices")
            .await
            .expect("counted");
        let text = str::to_owned;
        assert_eq!(counts(&colours), [(text("blue"), 2), (text("red"), 2)]);
        let expected = [
            ((None, text("blue")), 1),
            ((Some(0), text("red")), 1),
            ((Some(1), text("blue")), 1),
            ((Some(2), text("red")), 1),
        ];
        assert_eq!(counts(&sizes), expected);
        let day = |n: i64| (DateTime::from_millis(n * 86_400_000), 1);
        assert_eq!(counts(&days), [day(0), day(1), day(2), day(3)]);
        let sent = bench.only();
        assert_eq!(sent.get_str("comment").ok(), Some("choices"));
        let (colours, sizes) = Shirt::find(db, |s| s.shop.eq(9))
            .facet(|s| (s.colour, s.size))
            .await
            .expect("counted");
        assert!(colours.is_empty() && sizes.is_empty());
        bench.plan().await.assert_served_by("shop");
        let none = Shirt::find(db, |s| s.shop.eq(0))
            .limit(0)
            .facet(|s| (s.colour, s.size));
        assert_eq!(none.await.expect("counted"), (Vec::new(), Vec::new()));
        let near = doc! { "shop": { "$nearSphere": [1.0, 2.0] } };
        let near = Shirt::scan(db, |_| raw_filter(near))
            .facet(|s| (s.colour, s.size))
            .await;
        assert!(
            matches!(near, Err(Error::OperatorRefused { .. })),
            "{near:?}"
        );
        assert_eq!(bench.sent(), [""; 0]);
    })
    .await;
}

#[tokio::test]
async fn facets_see_a_transaction() {
    in_set("facets_session", async |bench| {
        bench.index(&[Shirt::meta()]).await;
        bench.place(&(0..4).map(shirt).collect::<Vec<_>>()).await;
        let db = &bench.db;
        let mut session = bench.transaction().await;
        let stored = Shirt::insert(db, &shirt(4))
            .driver_session(&mut session)
            .await;
        stored.expect("stored");
        let facet = Shirt::find(db, |s| s.shop.gte(0))
            .limit(10)
            .facet(|s| (s.colour, s.shop))
            .driver_session(&mut session);
        let (colours, shops) = facet.await.expect("counted");
        assert_eq!(
            counts(&colours),
            [("blue".to_owned(), 1), ("red".to_owned(), 4)]
        );
        assert_eq!(counts(&shops), [(0, 3), (1, 2)]);
        session.abort_transaction().await.expect("aborted");
    })
    .await;
}
