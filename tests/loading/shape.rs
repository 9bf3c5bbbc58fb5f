//! Filters, order, and limits that mean "per parent", of forward joins.

use bson::doc;

use crate::common::{alone, on_both};
use mongo_model::{Error, MongoModel};
use serde::{Deserialize, Serialize};

use crate::loading::{Kit, kit, numbers};

#[tokio::test]
async fn a_limit_counts_for_each_parent() {
    on_both("limit", async |bench| {
        let db = &bench.db;
        bench.kit_parts(1..=6).await;
        let kits = [kit(1, &[1, 2, 5]), kit(2, &[3, 4, 5])];
        let many = Kit::load_parts_many(db, &kits)
            .limit(2)
            .await
            .expect("loaded");
        assert_eq!(numbers(&many[0].1), [1, 2]);
        assert_eq!(numbers(&many[1].1), [3, 4]);
        assert_eq!(
            bench.asked_ids("kit_parts"),
            [1, 2, 3, 4],
            "the others are not asked for"
        );
        let many = Kit::load_parts_many(db, &kits)
            .skip(1)
            .limit(1)
            .await
            .expect("loaded");
        assert_eq!(numbers(&many[0].1), [2]);
        assert_eq!(numbers(&many[1].1), [4]);
        assert_eq!(bench.asked_ids("kit_parts"), [2, 4]);
    })
    .await;
}

#[tokio::test]
async fn sort_skip_and_limit_count_for_each_parent() {
    on_both("sorted_limit", async |bench| {
        let db = &bench.db;
        bench.kit_parts(1..=6).await;
        let kits = [kit(1, &[1, 2, 3]), kit(2, &[4, 5, 6])];
        let join = Kit::load_parts_many(db, &kits)
            .sort(|p| p.value.desc())
            .skip(1)
            .limit(2);
        let many = join.await.expect("loaded");
        assert_eq!(numbers(&many[0].1), [2, 1]);
        assert_eq!(numbers(&many[1].1), [5, 4]);
        let sent = bench.only();
        assert_eq!(
            sent.get_document("sort").expect("sorted"),
            &doc! { "value": -1 }
        );
    })
    .await;
}

#[tokio::test]
async fn the_stored_order_or_the_asked_one() {
    on_both("order", async |bench| {
        let db = &bench.db;
        bench.kit_parts(1..=3).await;
        let kit = kit(1, &[1, 3, 2, 3]);
        let stored = kit.load_parts(db).await.expect("loaded");
        assert_eq!(numbers(&stored), [1, 3, 2, 3]);
        let sorted = kit
            .load_parts(db)
            .sort(|p| p.value.desc().then(p.name.asc()))
            .await
            .expect("loaded");
        assert_eq!(
            numbers(&sorted),
            [3, 3, 2, 1],
            "an id stored twice stands twice"
        );
        assert!(sorted.missing().is_empty());
    })
    .await;
}

#[tokio::test]
async fn a_filter_drops_children_and_never_parents() {
    on_both("filter", async |bench| {
        let db = &bench.db;
        bench.kit_parts(1..=6).await;
        let kits = [kit(1, &[1, 6, 2, 5]), kit(2, &[1, 2]), kit(3, &[])];
        let join = Kit::load_parts_many(db, &kits).filter(|p| p.value.gte(5));
        let many = join.await.expect("loaded");
        assert_eq!(many.len(), 3);
        assert_eq!(numbers(many[0].1.values()), [6, 5]);
        assert!(many[1].1.is_empty() && many[2].1.is_empty());
        let sent = bench.only();
        let all = sent
            .get_document("filter")
            .expect("a filter")
            .get_array("$and")
            .expect("both");
        assert_eq!(all[1], doc! { "value": { "$gte": 5 } }.into());

        let twice = kits[0]
            .load_parts(db)
            .filter(|p| p.value.gte(2))
            .filter(|p| p.name.ne("part-6"));
        assert_eq!(
            numbers(
                twice
                    .sort(|p| p.value.desc())
                    .limit(1)
                    .await
                    .expect("loaded")
                    .values()
            ),
            [5]
        );
    })
    .await;
}

#[tokio::test]
async fn a_sorted_load_is_one_command_however_many_ids() {
    alone("sorted_many", async |bench| {
        let db = &bench.db;
        bench.kit_parts(0..12_000).await;
        let all: Vec<i32> = (0..12_000).collect();
        let kits: Vec<_> = (1..)
            .zip(all.chunks(3_000))
            .map(|(n, ids)| kit(n, ids))
            .collect();
        let many = Kit::load_parts_many(db, &kits)
            .sort(|p| p.value.asc().then(p.id.desc()))
            .limit(2)
            .await
            .expect("loaded");
        for ((_, parts), first) in many.iter().zip([2_990, 5_990, 8_990, 11_990]) {
            assert_eq!(numbers(parts), [first, first - 10]);
        }
        let sent = bench.sent();
        assert_eq!(
            sent.iter().filter(|name| *name == "find").count(),
            1,
            "{sent:?}"
        );
    })
    .await;
}

/// A document whose id may be long.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "pages")]
pub struct Text {
    #[serde(rename = "_id")]
    pub id: String,
    #[refs(Text, max = 100)]
    pub links: Vec<String>,
}

#[tokio::test]
async fn long_ids_are_sent_a_few_at_a_time() {
    alone("long_ids", async |bench| {
        let db = &bench.db;
        let id = |n: usize| format!("{n}{}", "x".repeat(400_000));
        let text = |n| Text {
            id: id(n),
            links: vec![],
        };
        Text::insert_many(db, &[text(3), text(41)])
            .await
            .expect("stored");
        bench.forget();
        let texts: Vec<Text> = (0..2)
            .map(|n| Text {
                id: n.to_string(),
                links: (n * 25..n * 25 + 25).map(id).collect(),
            })
            .collect();
        let loaded = Text::load_links_many(db, &texts)
            .await
            .expect("20 MiB of ids");
        assert_eq!(bench.sent(), ["find"; 3]);
        let found: Vec<_> = loaded
            .iter()
            .map(|(_, links)| {
                (
                    links[0].id == id(3) || links[0].id == id(41),
                    links.len(),
                    links.missing().len(),
                )
            })
            .collect();
        assert_eq!(found, [(true, 1, 24), (true, 1, 24)]);

        let sorted = Text::load_links_many(db, &texts).sort(|t| t.id.asc()).await;
        let Err(Error::TooManyToSort { field, ids }) = sorted else {
            panic!("{:?}", sorted.map(|loaded| loaded.len()));
        };
        assert_eq!((field.as_str(), ids), ("Text.links", 50));
        assert!(bench.sent().is_empty());
    })
    .await;
}
