//! Locks: one holder at a time, tokens that rise for ever, and leases by the server's clock.

use std::time::Duration;

use bson::{DateTime, doc};
use mongo_model::{Error, Lock, MongoModel};
use serde::{Deserialize, Serialize};
use tokio::runtime::Handle;

use crate::common::{Bench, alone, on_both};
use crate::lossy::Lossy;

const LONG: Duration = Duration::from_secs(3_600);

/// A document that is written under a lock, and knows under which token.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "ledgers")]
pub struct Ledger {
    #[serde(rename = "_id")]
    pub id: i32,
    pub sum: i64,
    pub fence: i64,
}

/// Makes the lease end, as the server's clock would say later.
async fn pass_time(bench: &Bench, collection: &str, name: &str) {
    let past = doc! { "$set": { "until": DateTime::from_millis(1) } };
    let locks = bench.raw(collection);
    let done = locks
        .update_one(doc! { "_id": name }, past)
        .await
        .expect("changed");
    assert_eq!(done.matched_count, 1);
    bench.forget();
}

fn assert_lost<T: std::fmt::Debug>(done: Result<T, Error>, token: i64) {
    match done {
        Err(Error::LeaseLost { token: lost, .. }) => assert_eq!(lost, token),
        other => panic!("a lost lease was expected: {other:?}"),
    }
}

#[tokio::test]
async fn one_holds_it_and_the_next_has_a_greater_token() {
    on_both("lock_one", async |bench| {
        let db = &bench.db;
        let lock = Lock::new("nightly");
        bench.forget();
        let first = lock
            .try_acquire(db, LONG)
            .await
            .expect("asked")
            .expect("free");
        assert_eq!(first.token(), 1);
        let sent = bench.only();
        assert!(sent.to_string().contains("$$NOW"), "{sent}");
        assert_eq!(
            sent.get_document("writeConcern")
                .expect("a concern")
                .get_str("w")
                .ok(),
            Some("majority")
        );
        assert!(lock.try_acquire(db, LONG).await.expect("asked").is_none());
        // Another lock, and one of the same name elsewhere, are others.
        let other = Lock::new("daily")
            .try_acquire(db, LONG)
            .await
            .expect("asked");
        assert_eq!(other.expect("free").token(), 1);
        let elsewhere = lock.clone().collection("own_locks");
        let there = elsewhere.try_acquire(db, LONG).await.expect("asked");
        there.expect("free").release(db).await.expect("given back");
        assert_eq!(bench.len("own_locks").await, 1);

        first.release(db).await.expect("given back");
        let second = lock
            .try_acquire(db, LONG)
            .await
            .expect("asked")
            .expect("free");
        assert_eq!(second.token(), 2);
        // Dropped, it is held until its lease ends.
        drop(second);
        assert!(lock.try_acquire(db, LONG).await.expect("asked").is_none());
        pass_time(bench, "_dn.locks", "nightly").await;
        let third = lock
            .try_acquire(db, LONG)
            .await
            .expect("asked")
            .expect("free");
        assert_eq!(third.token(), 3);
    })
    .await;
}

/// Documents of a lock would fail the reads of the model that is stored there.
#[tokio::test]
async fn the_collection_of_a_model_holds_no_locks() {
    on_both("lock_model", async |bench| {
        let lock = Lock::new("nightly").collection("ledgers");
        let refused = lock.try_acquire(&bench.db, LONG).await;
        let refused = refused.expect_err("refused").to_string();
        assert!(
            refused.contains("`ledgers`: `Ledger` is stored there"),
            "{refused}"
        );
        let refused = lock.acquire(&bench.db, LONG).await;
        refused.expect_err("refused");
        assert_eq!(bench.sent(), Vec::<String>::new());
        assert_eq!(bench.len("ledgers").await, 0);
    })
    .await;
}

#[tokio::test]
async fn a_lease_that_was_lost_is_an_error() {
    on_both("lock_lost", async |bench| {
        let db = &bench.db;
        let lock = Lock::new("nightly");
        let mut first = lock.acquire(db, LONG).await.expect("free");
        // It ends while no other program wants the lock: the holder keeps it.
        pass_time(bench, "_dn.locks", "nightly").await;
        let before = first.until();
        first.extend(db, LONG * 2).await.expect("extended");
        assert!(first.until() > before);
        assert!(lock.try_acquire(db, LONG).await.expect("asked").is_none());

        pass_time(bench, "_dn.locks", "nightly").await;
        let second = lock.try_acquire(db, LONG).await.expect("asked").expect("free");
        assert_lost(first.extend(db, LONG).await, 1);
        let error = first.release(db).await.expect_err("lost");
        assert_eq!(
            error.to_string(),
            "the lease 1 of the lock `nightly` is lost: it was given back, or has ended and belongs to another holder"
        );
        // Whom it belongs to was not disturbed.
        assert!(lock.try_acquire(db, LONG).await.expect("asked").is_none());
        second.release(db).await.expect("given back");
    })
    .await;
}

/// A holder that pauses for longer than its lease writes nothing once the next one has.
#[tokio::test]
async fn the_token_fences_who_comes_late() {
    on_both("lock_fence", async |bench| {
        let db = &bench.db;
        let ledger = Ledger {
            id: 1,
            sum: 0,
            fence: 0,
        };
        Ledger::insert(db, &ledger).await.expect("stored");
        let lock = Lock::new("ledger");
        let add = async |token: i64, sum: i64| {
            let add = Ledger::update(db, 1).only_if(|l| l.fence.lte(token));
            add.set(|l| l.fence, token)
                .inc(|l| l.sum, sum)
                .await
                .expect("sent")
        };
        let late = lock.acquire(db, LONG).await.expect("free");
        assert!(add(late.token(), 1).await.is_done());
        pass_time(bench, "_dn.locks", "ledger").await;
        let next = lock.acquire(db, LONG).await.expect("free");
        // Until the next holder writes, the late write passes; then it is refused.
        assert!(add(late.token(), 10).await.is_done());
        assert!(add(next.token(), 100).await.is_done());
        let refused = add(late.token(), 1_000).await.current().expect("refused");
        assert_eq!((refused.sum, refused.fence), (111, 2));
    })
    .await;
}

/// Programs that all want it: never two at once, and each in the end.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn all_who_wait_have_it_one_by_one() {
    on_both("lock_many", async |bench| {
        let workers = (0..8).map(|_| {
            let db = bench.db.clone();
            tokio::spawn(async move {
                let lock = Lock::new("many");
                let mut tokens = Vec::new();
                for _ in 0..3 {
                    let held = lock.acquire(&db, LONG).await.expect("free");
                    // A critical section: read, and write a value that depends on it.
                    let counter = db.collection::<bson::Document>("counters");
                    let found = counter.find_one(doc! { "_id": 1 }).await.expect("read");
                    let n = found.map_or(0, |found| found.get_i64("n").unwrap_or(0));
                    let next = doc! { "$set": { "n": n + 1 } };
                    let write = counter.update_one(doc! { "_id": 1 }, next).upsert(true);
                    write.await.expect("written");
                    tokens.push(held.token());
                    held.release(&db).await.expect("given back");
                }
                tokens
            })
        });
        let mut tokens = Vec::new();
        for worker in workers.collect::<Vec<_>>() {
            tokens.extend(worker.await.expect("ended"));
        }
        tokens.sort_unstable();
        assert_eq!(tokens, (1..=24).collect::<Vec<i64>>());
        assert_eq!(
            bench.stored("counters", 1).await.get_i64("n").ok(),
            Some(24)
        );
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_answer_that_is_lost_loses_no_lock() {
    alone("lock_answers", async |bench| {
        let lossy = Lossy::open().await;
        let db = lossy.database(bench.db.name()).await;
        let lock = Lock::new("nightly");
        lossy.lose(2, "findAndModify", || {});
        let mut held = lock
            .try_acquire(&db, LONG)
            .await
            .expect("asked")
            .expect("free");
        // Each send of the acquire counts, as if another program had held the lock in between.
        assert_eq!((lossy.left(), held.token()), (0, 3));
        lossy.lose(1, "findAndModify", || {});
        held.extend(&db, LONG).await.expect("extended");
        lossy.lose(1, "findAndModify", || {});
        held.release(&db).await.expect("given back");
        assert_eq!(lossy.left(), 0);
        let next = lock
            .try_acquire(&db, LONG)
            .await
            .expect("asked")
            .expect("free");
        assert_eq!(next.token(), 4);
    })
    .await;
}

/// Another program takes the lock before the release's reply arrives: that is no lost lease, unless the lease has ended.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_lock_that_was_given_back_is_not_lost() {
    alone("lock_given_back", async |bench| {
        let lossy = Lossy::open().await;
        let db = lossy.database(bench.db.name()).await;
        let lock = Lock::new("nightly");
        for (sent, lease) in [(true, LONG), (false, Duration::from_millis(1))] {
            let held = lock.acquire(&db, lease).await.expect("free");
            let token = held.token();
            let (other, runtime, next) = (bench.db.clone(), Handle::current(), lock.clone());
            lossy.lose_one(0, "findAndModify", sent, move || {
                let taken = runtime.block_on(next.acquire(&other, LONG));
                assert_eq!(taken.expect("free").token(), token + 1);
            });
            let released = held.release(&db).await;
            assert_eq!(lossy.left(), 0);
            if sent {
                released.expect("given back");
                pass_time(bench, "_dn.locks", "nightly").await;
            } else {
                assert_lost(released, token);
            }
        }
    })
    .await;
}
