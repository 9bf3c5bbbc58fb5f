//! Steps that insert documents and jobs: stored once, deleted where the saga is undone, and whatever comes late.

use std::time::Duration;

use bson::{DateTime, Document, doc};
use mongo_model::{Database, Error, MongoModel, Saga, SagaOutcome, resume};
use serde::{Deserialize, Serialize};

use crate::common::{Bench, alone, on_both};
use crate::compensating::lost::take_over;
use crate::compensating::stopped::allow;
use crate::compensating::{Purse, Shop, assert_clean, begin, pass_time, state};
use crate::lossy::Lossy;

const LEASE: Duration = Duration::from_secs(3_600);

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "saga_receipts")]
pub struct Receipt {
    #[serde(rename = "_id")]
    pub id: i32,
    #[index(unique)]
    pub number: i64,
    pub note: Option<String>,
    #[created]
    pub printed: DateTime,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "saga_parcels", queue(max_attempts = 3))]
pub struct Parcel {
    #[serde(rename = "_id")]
    pub id: i32,
    pub to: String,
}

/// Others refer to it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "saga_streets")]
pub struct Street {
    #[serde(rename = "_id")]
    pub id: i32,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "saga_houses")]
pub struct House {
    #[serde(rename = "_id")]
    pub id: i32,
    #[parent(Street)]
    pub street: i32,
}

fn receipt(id: i32) -> Receipt {
    Receipt {
        id,
        number: i64::from(id),
        note: None,
        printed: DateTime::from_millis(0),
    }
}

fn parcel(id: i32) -> Parcel {
    Parcel {
        id,
        to: "kate".to_owned(),
    }
}

/// Two coins from a purse, a receipt, a parcel to send, and one piece out of the shop.
fn order(db: &Database) -> Saga<'_> {
    let add = |coins: i64| Purse::update(db, 1).inc(|p| p.coins, coins);
    Saga::new(db, "order")
        .step(add(-2), add(2))
        .insert(Receipt::insert(db, &receipt(1)))
        .insert(Parcel::queue(db).push(&parcel(1)))
        .step(
            Shop::update(db, 1)
                .only_if(|s| s.stock.gt(0))
                .inc(|s| s.stock, -1),
            Shop::update(db, 1).inc(|s| s.stock, 1),
        )
}

async fn prepare(bench: &Bench, stock: i32) {
    for collection in ["saga_receipts", "saga_parcels"] {
        let emptied = bench.raw(collection).delete_many(doc! {}).await;
        emptied.expect("emptied");
    }
    begin(bench, 5, stock).await;
}

/// Coins, receipts, jobs, pieces in the shop.
async fn stored(bench: &Bench) -> (i64, u64, u64, i32) {
    let (coins, _, _, stock) = state(bench).await;
    let receipts = bench.len("saga_receipts").await;
    (coins, receipts, bench.len("saga_parcels").await, stock)
}

const fn whole(stock: i32) -> (i64, u64, u64, i32) {
    match stock {
        0 => (5, 0, 0, 0),
        stock => (3, 1, 1, stock - 1),
    }
}

/// Nothing is left of the saga, and the job it has pushed is ready.
async fn assert_ended(bench: &Bench, which: &str) {
    assert_clean(bench).await;
    for collection in ["saga_receipts", "saga_parcels"] {
        let marked =
            doc! { "$or": [{ "_dn.s.0": { "$exists": true } }, { "_dn.q": { "$exists": true } }] };
        let found = bench.raw(collection).find_one(marked).await.expect("read");
        assert_eq!(found, None, "{which}");
    }
    bench.forget();
}

#[tokio::test]
async fn documents_and_jobs_are_inserted_or_deleted() {
    on_both("saga_inserted", async |bench| {
        let db = &bench.db;
        bench.index(&[Receipt::meta(), Parcel::meta()]).await;
        prepare(bench, 1).await;
        let ended = order(db).run().await.expect("run");
        assert!(matches!(ended, SagaOutcome::Done), "{ended:?}");
        let update = ["find", "findAndModify", "update"];
        let insert = ["findAndModify", "update"];
        let mut wanted = vec!["findAndModify"];
        wanted.extend(update.iter().chain(insert.repeat(2).iter()).chain(&update));
        wanted.extend([
            "findAndModify",
            "update",
            "update",
            "update",
            "update",
            "delete",
        ]);
        assert_eq!(bench.sent(), wanted);
        assert_eq!(stored(bench).await, whole(1));
        assert_ended(bench, "done").await;
        let printed = Receipt::get(db, 1).await.expect("read").expect("stored");
        assert!(
            printed.printed > DateTime::from_millis(0),
            "the server's clock"
        );
        let leased = Parcel::queue(db).pop("w", LEASE).await.expect("sent");
        assert_eq!(leased.expect("a job").job, parcel(1));

        // The purse and the receipt are as before: the job is there already, and stays.
        begin(bench, 5, 1).await;
        bench
            .raw("saga_receipts")
            .delete_many(doc! {})
            .await
            .expect("emptied");
        let ended = order(db).run().await.expect("run");
        let SagaOutcome::Undone {
            step: 2,
            why: Some(why),
        } = ended
        else {
            panic!("{ended:?}");
        };
        assert!(why.is_duplicate(), "{why}");
        assert_eq!(stored(bench).await, (5, 0, 1, 1));
        assert_clean(bench).await;

        prepare(bench, 0).await;
        let ended = order(db).run().await.expect("run");
        assert!(
            matches!(ended, SagaOutcome::Undone { step: 3, why: None }),
            "{ended:?}"
        );
        assert_eq!(stored(bench).await, whole(0));
        assert_ended(bench, "undone").await;

        // Another receipt has its number.
        let other = Receipt {
            number: 1,
            ..receipt(2)
        };
        Receipt::insert(db, &other).await.expect("stored");
        let ended = order(db).run().await.expect("run");
        let SagaOutcome::Undone {
            step: 1,
            why: Some(why),
        } = ended
        else {
            panic!("{ended:?}");
        };
        assert!(Receipt::is_duplicate_number(&why), "{why}");
        assert_eq!(stored(bench).await, (5, 1, 0, 0));
    })
    .await;
}

#[tokio::test]
async fn an_insert_that_something_has_to_follow_is_no_step() {
    alone("saga_connected", async |bench| {
        let db = &bench.db;
        let street = Street { id: 1 };
        let house = House { id: 1, street: 1 };
        for refused in [
            Saga::new(db, "build")
                .insert(Street::insert(db, &street))
                .run()
                .await,
            Saga::new(db, "build")
                .insert(House::insert(db, &house))
                .run()
                .await,
        ] {
            let error = refused.expect_err("refused");
            assert!(matches!(error, Error::Impossible { .. }), "{error}");
            assert!(error.to_string().contains("insert it by itself"), "{error}");
        }
        assert_eq!(bench.sent(), Vec::<String>::new());
    })
    .await;
}

/// The saga stops before it is undone. No worker has its job, and the receipt that another program changes stays.
#[tokio::test]
async fn the_undo_keeps_a_document_that_another_program_has_changed() {
    on_both("saga_changed", async |bench| {
        let db = &bench.db;
        for is_changed in [true, false] {
            prepare(bench, 0).await;
            db.create_collection("_dn.sagas").await.expect("created");
            allow(bench, Some(&["new", "doing"])).await;
            let error = order(db).run().await.expect_err("stopped");
            assert!(matches!(error, Error::SagaStopped { .. }), "{error}");
            assert_eq!(stored(bench).await, (3, 1, 1, 0));
            let leased = Parcel::queue(db).pop("w", LEASE).await.expect("sent");
            assert!(leased.is_none(), "{leased:?}");
            if is_changed {
                let note = Receipt::update(db, 1).set(|r| r.note, "gift");
                note.await.expect("changed");
            }
            allow(bench, None).await;
            pass_time(bench).await;
            let resumed = resume(db).await.expect("resumed");
            assert_eq!((resumed.undone.len(), resumed.failed.len()), (1, 0));
            assert_eq!(stored(bench).await, (5, u64::from(is_changed), 0, 0));
            assert_ended(bench, "undone").await;
        }
    })
    .await;
}

/// Dies after every one of its commands, and is resumed: it is all done or all undone, once.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_saga_that_dies_while_it_inserts_is_ended_by_the_next() {
    on_both("saga_insert_killed", async |bench| {
        for stock in [1, 0] {
            for commands in 1..30 {
                prepare(bench, stock).await;
                let mut is_done = false;
                // The program that resumes it dies as well.
                for dies_after in [commands, commands / 2 + 1] {
                    let stranger = bench.stranger().await;
                    let db = stranger.db.clone();
                    let running = tokio::spawn(async move {
                        match dies_after == commands {
                            true => order(&db).run().await.map(drop),
                            false => resume(&db).await.map(drop),
                        }
                    });
                    while bench.count() < dies_after && !running.is_finished() {
                        tokio::task::yield_now().await;
                    }
                    is_done |= dies_after == commands && running.is_finished();
                    running.abort();
                    running.await.ok();
                    bench.end(stranger).await;
                    pass_time(bench).await;
                    if commands == 1 {
                        break;
                    }
                }
                let resumed = resume(&bench.db).await.expect("resumed");
                assert!(resumed.failed.is_empty(), "{resumed:?}");
                let now = stored(bench).await;
                let which = format!("{stock} {commands}: {now:?}");
                // If it died before the saga began, nothing is done.
                assert!(
                    now == whole(stock) || (commands <= 2 && now == (5, 0, 0, stock)),
                    "{which}"
                );
                assert_ended(bench, &which).await;
                if is_done {
                    break;
                }
            }
        }
    })
    .await;
}

/// The commands that it sent arrive once more after its lease has ended, one by one and in any order.
#[tokio::test]
async fn an_insert_that_comes_late_stores_nothing() {
    on_both("saga_insert_late", async |bench| {
        for stock in [1, 0] {
            prepare(bench, stock).await;
            let saga = order(&bench.db).lease(Duration::from_secs(2));
            let _ = saga.run().await.expect("run");
            let sent = bench.take().into_iter();
            let updates = sent.filter(|sent| sent.name == "update");
            let updates: Vec<Document> = updates.map(|sent| sent.command).collect();
            let begun = stored(bench).await;
            assert_eq!(begun, whole(stock));
            if stock == 1 {
                // Another program deletes what the saga has inserted.
                for collection in ["saga_receipts", "saga_parcels"] {
                    let deleted = bench.raw(collection).delete_many(doc! {}).await;
                    deleted.expect("deleted");
                }
            }
            let now = stored(bench).await;
            let ends = server_time(bench).await.timestamp_millis() + 2_000;
            while server_time(bench).await.timestamp_millis() <= ends {}
            let mut refused = 0;
            for again in updates.iter().chain(updates.iter().rev()) {
                let own = ["lsid", "txnNumber"];
                let again = again.clone().into_iter();
                let again: Document = again
                    .filter(|(key, _)| !key.starts_with('$') && !own.contains(&key.as_str()))
                    .collect();
                let reply = bench.db.run_command(again).await.expect("sent");
                refused += usize::from(reply.contains_key("writeErrors"));
                assert_eq!(stored(bench).await, now);
            }
            assert_eq!(refused, 4, "each insert, twice");
            assert_clean(bench).await;
        }
    })
    .await;
}

async fn server_time(bench: &Bench) -> DateTime {
    let reply = bench.db.run_command(doc! { "hello": 1 }).await;
    let reply = reply.expect("answered");
    *reply.get_datetime("localTime").expect("a time")
}

/// Each command of a saga in turn is lost, or the answer to it, and another program ends the saga meanwhile. A program that has no answer to
/// an insert leaves the undo to the next.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_saga_whose_insert_has_no_answer_is_made_or_undone_once() {
    for (is_sent, stock) in [(true, 1), (true, 0), (false, 1), (false, 0)] {
        let mut stopped = 0;
        for eight in 0..4 {
            let sagas = (eight * 8..eight * 8 + 8).map(|nth| lose_one(is_sent, stock, nth));
            let ended = futures::future::join_all(sagas).await;
            stopped += ended.iter().filter(|stopped| **stopped).count();
        }
        let wanted = if stock == 0 { 2 } else { 0 };
        assert_eq!(stopped, wanted, "{is_sent} {stock}");
    }
}

/// Gives true if the saga has stopped.
async fn lose_one(is_sent: bool, stock: i32, nth: usize) -> bool {
    let mut has_stopped = false;
    alone(&format!("saga_inserts_{nth}"), async |bench| {
        let lossy = Lossy::open().await;
        let db = lossy.database(bench.db.name()).await;
        // Known from now on: the commands that are counted are the saga's own.
        mongo_model::capabilities(&db).await.expect("answered");
        prepare(bench, stock).await;
        lossy.lose_one(nth, bench.db.name(), is_sent, || {});
        let ended = order(&db).run().await;
        lossy.stop();
        take_over(&bench.db).await;
        let now = stored(bench).await;
        let which = format!("{is_sent} {stock} {nth}: {ended:?} {now:?}");
        has_stopped = matches!(ended, Err(Error::SagaStopped { .. }));
        assert!(ended.is_ok() || has_stopped, "{which}");
        assert_eq!(now, whole(stock), "{which}");
        assert_ended(bench, &which).await;
    })
    .await;
    has_stopped
}
