//! One program follows; a second one takes over, and does no harm where both believe that they lead.

use std::time::Duration;

use bson::{Document, doc};
use mongo_model::follower::Role;
use mongo_model::{Follower, Lock};

use crate::common::in_set;
use crate::copies::stored;
use crate::models;
use crate::running::{Running, right};

const POSITION: &str = "_dn.followers";

#[tokio::test]
async fn a_standby_takes_over_when_the_lease_of_a_dead_leader_ends() {
    in_set("follow_standby", async |bench| {
        bench.index(&models::all()).await;
        let lease = Duration::from_secs(2);
        // A leader that died: nobody gives the lock back.
        let dead = Lock::new("follower")
            .try_acquire(&bench.db, lease)
            .await
            .expect("asked");
        assert!(dead.is_some());
        let first = Running::standby(Follower::new(&bench.db));
        let second = Running::standby(Follower::new(&bench.db));
        let leads = |status: &mongo_model::follower::Status| status.role == Role::Leading;
        let (one, two) = (first.until(leads), second.until(leads));
        let won = futures::future::select(Box::pin(one), Box::pin(two)).await;
        let is_first = matches!(won, futures::future::Either::Left(_));
        drop(won);
        let (leader, standby) = if is_first {
            (first, second)
        } else {
            (second, first)
        };
        assert_eq!(standby.follower.status().role, Role::Standby);
        leader.kill().await;
        standby.until(leads).await;
        stored(bench).await;
        let rename = doc! { "$set": { "name": "uno" } };
        bench
            .raw("f_hosts")
            .update_one(doc! { "_id": 1_i64 }, rename)
            .await
            .expect("renamed");
        standby.caught_up(&bench.db).await;
        right(bench).await;
        standby.kill().await;
    })
    .await;
}

/// A leader that was stopped for longer than its lease: another one has the position by now, and it must not move it.
#[tokio::test]
async fn a_leader_without_the_position_stands_down() {
    in_set("follow_fence", async |bench| {
        let running = Running::begin(bench).await;
        let positions = bench.raw(POSITION);
        let later = doc! { "$inc": { "fence": 1_000_i64 } };
        positions
            .update_one(doc! { "_id": "follower" }, later)
            .await
            .expect("taken");
        let lost = |status: &mongo_model::follower::Status| {
            status
                .problems
                .iter()
                .any(|problem| problem.contains("lease"))
        };
        running.until(lost).await;
        let stored = bench.stored(POSITION, "follower").await;
        let back = doc! { "$set": { "fence": 0_i64 } };
        positions
            .update_one(doc! { "_id": "follower" }, back)
            .await
            .expect("given back");
        running.until(|status| status.role == Role::Leading).await;
        assert!(stored.get_i64("fence").expect("a fence") >= 1_000);
        running.kill().await;
    })
    .await;
}

/// Two followers with different names both lead, and apply every change.
#[tokio::test]
async fn two_leaders_do_no_harm() {
    in_set("follow_both", async |bench| {
        bench.index(&models::all()).await;
        let one = Running::start(Follower::new(&bench.db).name("one").batch(3)).await;
        let two = Running::start(Follower::new(&bench.db).name("two")).await;
        stored(bench).await;
        for n in 0..30_i64 {
            let rename = doc! { "$set": { "name": format!("name {n}") } };
            bench
                .raw("f_hosts")
                .update_one(doc! { "_id": 1 + n % 2 }, rename)
                .await
                .expect("renamed");
            let message = doc! { "_id": 10 + n, "host": 1 + n % 2 };
            bench
                .raw("f_messages")
                .insert_one(message)
                .await
                .expect("stored");
            let moved = doc! { "$set": { "host": 1 + (n / 2) % 2 } };
            bench
                .raw("f_messages")
                .update_one(doc! { "_id": 10 + n / 2 }, moved)
                .await
                .expect("moved");
        }
        one.caught_up(&bench.db).await;
        two.caught_up(&bench.db).await;
        // Each has seen what the other did last.
        one.caught_up(&bench.db).await;
        two.caught_up(&bench.db).await;
        right(bench).await;
        let last: Document = bench.stored("f_messages", 1_i64).await;
        assert_eq!(last.get_str("host_name").ok(), Some("name 28"));
        one.kill().await;
        two.kill().await;
    })
    .await;
}

/// A leader that has just taken over handles few events, stores its position, and goes on with more: it makes progress although it may
/// end soon.
#[tokio::test]
async fn a_new_leader_begins_with_small_batches() {
    in_set("follow_small_batches", async |bench| {
        let running = Running::begin(bench).await;
        stored(bench).await;
        running.caught_up(&bench.db).await;
        running.kill().await;
        for n in 0..100_i64 {
            let message = doc! { "_id": 1_000 + n, "host": 1_i64 };
            bench
                .raw("f_messages")
                .insert_one(message)
                .await
                .expect("stored");
        }
        bench.forget();
        let running = Running::start(Follower::new(&bench.db)).await;
        running.caught_up(&bench.db).await;
        let (mut sizes, mut places) = (Vec::new(), 0);
        for sent in bench.take() {
            let command = &sent.command;
            if sent.name == "getMore" && sizes.last() != Some(&1_000) {
                let size = command.get("batchSize").map(crate::common::number);
                sizes.extend(size);
            }
            let is_place = command.get_str("update").is_ok_and(|name| name == POSITION)
                && format!("{command}").contains("_data");
            places += usize::from(is_place);
        }
        assert_eq!(sizes[..3], [32, 64, 128], "{sizes:?}");
        assert!(places >= 3, "a place is stored behind each batch: {places}");
        right(bench).await;
        running.kill().await;
    })
    .await;
}
