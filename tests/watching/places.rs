//! Where a watch begins, and goes on.

use std::time::Duration;

use futures::{FutureExt, StreamExt};
use mongo_model::MongoModel;
use mongo_model::watch::{Change, ResumeToken};

use super::{Order, buyer, next, order, updated};
use crate::common::{in_set, on_both};

#[tokio::test]
async fn it_goes_on_behind_a_token() {
    in_set("watch_token", async |bench| {
        let db = &bench.db;
        let ada = buyer(bench).await;
        let mut changes = Order::watch(db).await.expect("watched");
        Order::insert(db, &order(1, &ada, "open"))
            .await
            .expect("stored");
        let change = next(&mut changes).await;
        assert!(matches!(change, Change::Inserted(_)), "{change:?}");
        let token = changes.resume_token().expect("a token").to_string();
        drop(changes);

        Order::insert(db, &order(2, &ada, "open"))
            .await
            .expect("stored");
        let token: ResumeToken = token.parse().expect("a token");
        let stored = serde_json::to_string(&token).expect("written");
        assert_eq!(
            serde_json::from_str::<ResumeToken>(&stored).expect("read"),
            token
        );
        assert_eq!(format!("{token:?}"), "ResumeToken(..)");
        let mut changes = Order::watch(db).resume_after(token).await.expect("watched");
        loop {
            match next(&mut changes).await {
                Change::Inserted(told) if told.id == 2 => break,
                // What was told last may be told again.
                Change::Inserted(told) => assert_eq!(told.id, 1),
                Change::Updated { document, .. } => assert_eq!(document.id, 1),
                change => panic!("{change:?}"),
            }
        }
    })
    .await;
}

#[tokio::test]
async fn a_token_of_nowhere_is_a_gap() {
    in_set("watch_gap", async |bench| {
        let db = &bench.db;
        let ada = buyer(bench).await;
        for text in ["", "no token", "82zz"] {
            assert!(text.parse::<ResumeToken>().is_err(), "{text:?}");
        }
        for text in ["00", "82", "826553F10000000001"] {
            let token: ResumeToken = text.parse().expect("digits");
            let mut changes = Order::watch(db).resume_after(token).await.expect(text);
            let change = next(&mut changes).await;
            assert!(matches!(change, Change::Missed), "{text}: {change:?}");
        }
        let token: ResumeToken = "00".parse().expect("digits");
        let mut changes = Order::watch(db).resume_after(token).await.expect("watched");
        // What happens between the call and its first item is told.
        Order::insert(db, &order(1, &ada, "open"))
            .await
            .expect("stored");
        let change = next(&mut changes).await;
        assert!(matches!(change, Change::Missed), "{change:?}");
        let change = next(&mut changes).await;
        assert!(matches!(change, Change::Inserted(_)), "{change:?}");
    })
    .await;
}

#[tokio::test]
async fn it_outlives_its_collection() {
    in_set("watch_dropped", async |bench| {
        let db = &bench.db;
        let ada = buyer(bench).await;
        let mut changes = Order::watch(db).await.expect("watched");
        for id in 1..4 {
            Order::insert(db, &order(id, &ada, "open"))
                .await
                .expect("stored");
            let change = next(&mut changes).await;
            assert!(
                matches!(&change, Change::Inserted(told) if told.id == id),
                "{change:?}"
            );
            if id == 1 {
                bench.raw("watched_orders").drop().await.expect("dropped");
            } else {
                bench.db.drop().await.expect("dropped");
            }
            loop {
                match next(&mut changes).await {
                    Change::Dropped => break,
                    Change::Updated { document, .. } => assert_eq!(document.id, id),
                    change => panic!("{change:?}"),
                }
            }
            mongo_model::Database::collection::<super::Buyer>(db, "watched_buyers")
                .delete_many(bson::doc! {})
                .await
                .expect("empty");
            bench.index(&[super::Buyer::meta(), Order::meta()]).await;
            super::Buyer::insert(db, &ada).await.expect("stored");
        }
    })
    .await;
}

#[tokio::test]
async fn a_wait_that_is_given_up_loses_nothing() {
    on_both("watch_select", async |bench| {
        let db = &bench.db;
        let ada = buyer(bench).await;
        let watch = Order::watch(db).poll_every(Duration::from_millis(5));
        let mut changes = watch.await.expect("watched");
        let orders: Vec<Order> = (0..40).map(|id| order(id, &ada, "open")).collect();
        let other = db.clone();
        let writer = tokio::spawn(async move {
            for order in &orders {
                Order::insert(&other, order).await.expect("stored");
            }
        });
        let mut told = Vec::new();
        while told.len() < 40 {
            // As in a `select!` whose other branch is always ready.
            match changes.next().now_or_never() {
                Some(Some(Ok(Change::Inserted(order)))) => told.push(order.id),
                Some(Some(Ok(change))) => drop(updated(change)),
                Some(end) => panic!("{end:?}"),
                None => tokio::task::yield_now().await,
            }
        }
        told.sort_unstable();
        assert_eq!(told, Vec::from_iter(0..40));
        writer.await.expect("written");
    })
    .await;
}
