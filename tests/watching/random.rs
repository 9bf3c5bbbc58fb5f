//! A list that a program keeps by a watch, beside the documents as they are stored.

use std::collections::BTreeMap;
use std::time::Duration;

use mongo_model::MongoModel;
use mongo_model::watch::Change;

use super::{Buyer, Order, buyer, next, order};
use crate::common::on_both;

/// A sequence of numbers that looks random: splitmix64.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % n
    }
}

/// Writes 150 times: the library's writes, and a stranger's.
async fn write(db: mongo_model::Database, ada: Buyer, seed: u64) {
    let mut numbers = Numbers(seed);
    for _ in 0..150 {
        let id = i32::try_from(numbers.below(12)).expect("small");
        let statuses = ["open", "open", "closed"];
        let status = statuses[numbers.below(3) as usize];
        let raw = db.collection::<bson::Document>("watched_orders");
        // A writer may come too late for a document, or find one there: it goes on.
        match numbers.below(8) {
            0 | 1 => drop(Order::insert(&db, &order(id, &ada, status)).await),
            2 => drop(Order::update(&db, id).set(|o| o.status, status).await),
            3 => drop(Order::update(&db, id).inc(|o| o.total, 1).await),
            4 => drop(Order::delete(&db, id).await),
            5 => drop(Order::purge(&db, id).await),
            6 => {
                let name = format!("n{}", numbers.below(1_000));
                drop(Buyer::update(&db, ada.id).set(|b| b.name, name).await);
            }
            _ => {
                let set = bson::doc! { "$set": { "total": 1_000 } };
                raw.update_one(bson::doc! { "_id": id }, set)
                    .await
                    .expect("updated");
            }
        }
    }
}

#[tokio::test]
async fn a_list_that_is_kept_is_what_is_stored() {
    on_both("watch_random", async |bench| {
        let db = &bench.db;
        let ada = buyer(bench).await;
        for seed in 1..4 {
            let open = || Order::scan(db, |o| o.status.eq("open"));
            let watch = Order::watch(db).filter(|o| o.status.eq("open"));
            let mut changes = watch
                .poll_every(Duration::from_millis(3))
                .await
                .expect("watched");
            let mut list: BTreeMap<i32, Order> = BTreeMap::new();
            for order in open().await.expect("read") {
                list.insert(order.id, order);
            }
            let writers = (0..3).map(|n| write(db.clone(), ada.clone(), seed * 10 + n));
            futures::future::join_all(writers).await;
            let stored = open().await.expect("read").into_iter();
            let stored: BTreeMap<i32, Order> = stored.map(|order| (order.id, order)).collect();
            // The last changes may come later than the answers of their writes: an item that never comes ends the test.
            while list != stored {
                match next(&mut changes).await {
                    Change::Inserted(order)
                    | Change::Updated {
                        document: order, ..
                    } => {
                        list.insert(order.id, order);
                    }
                    Change::Left { id, .. } | Change::Deleted { id, .. } => drop(list.remove(&id)),
                    change => panic!("{change:?}"),
                }
            }
        }
    })
    .await;
}
