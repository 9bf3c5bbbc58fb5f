//! Compensating transactions: all of it or none of it, whichever program dies where, and whatever comes late.

mod checked;
mod inserted;
mod lost;
mod stopped;

use std::time::Duration;

use bson::{DateTime, Document, doc};
use mongo_model::saga::resume_in;
use mongo_model::{Database, Error, MongoModel, Saga, SagaOutcome, resume};
use serde::{Deserialize, Serialize};

use crate::common::{Bench, on_both};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "purses")]
pub struct Purse {
    #[serde(rename = "_id")]
    pub id: i32,
    pub coins: i64,
    #[embed(max = 2)]
    pub notes: Vec<String>,
    #[version]
    pub version: i64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "shops")]
pub struct Shop {
    #[serde(rename = "_id")]
    pub id: i32,
    pub stock: i32,
    #[version]
    #[serde(rename = "v")]
    pub version: i32,
}

fn purse(id: i32, coins: i64) -> Purse {
    Purse {
        id,
        coins,
        notes: Vec::new(),
        version: 0,
    }
}

/// Two coins from one purse to another, and one piece out of the shop.
fn buy(db: &Database) -> Saga<'_> {
    let add = |id: i32, coins: i64| Purse::update(db, id).inc(|p| p.coins, coins);
    Saga::new(db, "buy")
        .step(
            add(1, -2)
                .only_if(|p| p.coins.gte(2))
                .push(|p| p.notes, "bought"),
            add(1, 2).pull(|p| p.notes, "bought"),
        )
        .step(add(2, 2), add(2, -2))
        .step(
            Shop::update(db, 1)
                .only_if(|s| s.stock.gt(0))
                .inc(|s| s.stock, -1),
            Shop::update(db, 1).inc(|s| s.stock, 1),
        )
}

async fn begin(bench: &Bench, coins: i64, stock: i32) {
    for collection in ["purses", "shops", "_dn.sagas"] {
        bench.raw(collection).drop().await.expect("dropped");
    }
    let db = &bench.db;
    Purse::insert_many(db, [&purse(1, coins), &purse(2, 0)])
        .await
        .expect("stored");
    Shop::insert(
        db,
        &Shop {
            id: 1,
            stock,
            version: 0,
        },
    )
    .await
    .expect("stored");
    bench.forget();
}

/// Coins of both purses, notes of the first, pieces in the shop.
async fn state(bench: &Bench) -> (i64, i64, usize, i32) {
    let db = &bench.db;
    let of = async |id: i32| Purse::get(db, id).await.expect("read").expect("there");
    let (first, second) = (of(1).await, of(2).await);
    let shop = Shop::get(db, 1).await.expect("read").expect("there");
    bench.forget();
    (first.coins, second.coins, first.notes.len(), shop.stock)
}

/// Nothing is left of any saga, in journals or in documents.
async fn assert_clean(bench: &Bench) {
    assert_eq!(bench.len("_dn.sagas").await, 0);
    for collection in ["purses", "shops"] {
        let marked = doc! { "_dn.s.0": { "$exists": true } };
        let found = bench.raw(collection).find_one(marked).await.expect("read");
        assert_eq!(found, None);
    }
    bench.forget();
}

/// The program that ran the sagas is gone for so long that any other may resume them.
async fn pass_time(bench: &Bench) {
    let past = doc! { "$set": { "until": DateTime::from_millis(1) } };
    let sagas = bench.raw("_dn.sagas");
    sagas.update_many(doc! {}, past).await.expect("changed");
    bench.forget();
}

/// Journals would fail the reads of the model that is stored there.
#[tokio::test]
async fn the_collection_of_a_model_holds_no_journals() {
    on_both("saga_model", async |bench| {
        begin(bench, 5, 1).await;
        let refused = buy(&bench.db).collection("shops").run().await;
        let refused = refused.expect_err("refused").to_string();
        assert!(
            refused.contains("`shops`: `Shop` is stored there"),
            "{refused}"
        );
        let refused = resume_in(&bench.db, "shops").await;
        refused.expect_err("refused");
        assert_eq!(bench.sent(), Vec::<String>::new());
        assert_clean(bench).await;
    })
    .await;
}

#[tokio::test]
async fn all_of_it_is_done() {
    on_both("saga_done", async |bench| {
        begin(bench, 5, 1).await;
        let ended = buy(&bench.db).run().await.expect("run");
        assert!(matches!(ended, SagaOutcome::Done), "{ended:?}");
        let sent = bench.sent();
        let steps = ["find", "findAndModify", "update"].repeat(3);
        let mut wanted = vec!["findAndModify"];
        wanted.extend(steps);
        wanted.extend(["findAndModify", "update", "update", "update", "delete"]);
        assert_eq!(sent, wanted);
        assert_eq!(state(bench).await, (3, 2, 1, 0));
        assert_clean(bench).await;
        assert_eq!(
            bench.stored("purses", 1).await.get_i64("version").ok(),
            Some(1)
        );
        assert_eq!(bench.stored("shops", 1).await.get_i32("v").ok(), Some(1));
        // Nothing to do is done at once.
        bench.forget();
        let ended = Saga::new(&bench.db, "nothing").run().await.expect("run");
        assert!(matches!(ended, SagaOutcome::Done));
        assert!(bench.sent().is_empty());
    })
    .await;
}

#[tokio::test]
async fn what_was_done_is_undone_the_last_first() {
    on_both("saga_undone", async |bench| {
        // The first, the last, and what its array has no room for.
        begin(bench, 1, 1).await;
        let ended = buy(&bench.db).run().await.expect("run");
        assert!(
            matches!(ended, SagaOutcome::Undone { step: 0, why: None }),
            "{ended:?}"
        );
        assert_eq!(state(bench).await, (1, 0, 0, 1));
        assert_clean(bench).await;

        begin(bench, 5, 0).await;
        let ended = buy(&bench.db).run().await.expect("run");
        assert!(
            matches!(ended, SagaOutcome::Undone { step: 2, why: None }),
            "{ended:?}"
        );
        let sent = bench.take();
        let updates = sent.iter().filter(|sent| sent.name == "update");
        let undone: Vec<String> = updates
            .filter(|sent| sent.command.to_string().contains("$pull"))
            .map(|sent| sent.command.to_string())
            .collect();
        // The shop, which was not made; then the second purse, then the first.
        assert_eq!(undone.len(), 3, "{undone:?}");
        assert!(undone[0].contains("\"shops\""), "{undone:?}");
        assert!(
            undone[1].contains("-2") && undone[2].contains("bought"),
            "{undone:?}"
        );
        assert_eq!(state(bench).await, (5, 0, 0, 0));
        assert_clean(bench).await;

        begin(bench, 5, 1).await;
        Purse::update(&bench.db, 1)
            .push_all(|p| p.notes, ["a", "b"])
            .await
            .expect("changed");
        let ended = buy(&bench.db).run().await.expect("run");
        assert!(
            matches!(ended, SagaOutcome::Undone { step: 0, why: None }),
            "{ended:?}"
        );
        assert_eq!(state(bench).await, (5, 0, 2, 1));

        Shop::delete(&bench.db, 1).await.expect("deleted");
        Purse::update(&bench.db, 1)
            .pop_last(|p| p.notes)
            .await
            .expect("changed");
        let ended = buy(&bench.db).run().await.expect("run");
        let SagaOutcome::Undone {
            step: 2,
            why: Some(why),
        } = ended
        else {
            panic!("{ended:?}");
        };
        assert!(
            matches!(*why, Error::NotFound { model: "Shop", .. }),
            "{why}"
        );
        assert_eq!(
            bench.stored("purses", 1).await.get_i64("coins").ok(),
            Some(5)
        );
        assert_clean(bench).await;
    })
    .await;
}

/// Dies after every one of its commands, and is resumed: it is all done or all undone, once.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whoever_dies_where_it_is_ended_by_the_next() {
    on_both("saga_killed", async |bench| {
        for (stock, whole) in [(1, (3, 2, 1, 0)), (0, (5, 0, 0, 0))] {
            for commands in 1..30 {
                begin(bench, 5, stock).await;
                let first = bench.stranger().await;
                let db = first.db.clone();
                let running = tokio::spawn(async move { buy(&db).run().await });
                while bench.count() < commands && !running.is_finished() {
                    tokio::task::yield_now().await;
                }
                let done = running.is_finished();
                running.abort();
                running.await.ok();
                // It may have run a little past `commands`; the program that resumes it dies as well.
                pass_time(bench).await;
                let second = bench.stranger().await;
                let db = second.db.clone();
                let resuming = tokio::spawn(async move { resume(&db).await });
                while bench.count() < commands / 2 && !resuming.is_finished() {
                    tokio::task::yield_now().await;
                }
                resuming.abort();
                resuming.await.ok();
                // A command that either of them sent before it died may arrive only now, and count as a heartbeat.
                pass_time(bench).await;
                let resumed = resume(&bench.db).await.expect("resumed");
                let own = |(_, error): &(_, Error)| matches!(error, Error::LeaseLost { .. });
                assert!(resumed.failed.iter().all(own), "{resumed:?}");
                // Also resume the journal of a program that died at its first command.
                bench.end(first).await;
                bench.end(second).await;
                pass_time(bench).await;
                let resumed = resume(&bench.db).await.expect("resumed");
                assert!(resumed.failed.is_empty(), "{resumed:?}");
                let now = state(bench).await;
                // If it died before the saga began, nothing is done.
                assert!(
                    now == whole || (commands <= 2 && now == (5, 0, 0, stock)),
                    "{commands}: {now:?}"
                );
                assert_clean(bench).await;
                if done {
                    break;
                }
            }
        }
    })
    .await;
}

/// The very commands that it sent arrive once more after it has ended, one by one and in any order.
#[tokio::test]
async fn what_comes_late_changes_nothing() {
    on_both("saga_late", async |bench| {
        for (stock, whole) in [(1, (3, 2, 1, 0)), (0, (5, 0, 0, 0))] {
            begin(bench, 5, stock).await;
            let _ = buy(&bench.db).run().await.expect("run");
            let updates: Vec<Document> = bench
                .take()
                .into_iter()
                .filter(|sent| sent.name == "update")
                .map(|sent| sent.command)
                .collect();
            assert!(updates.len() >= 6);
            assert_eq!(state(bench).await, whole);
            for again in updates.iter().chain(updates.iter().rev()) {
                let own = ["lsid", "txnNumber"];
                let again: Document = again
                    .clone()
                    .into_iter()
                    .filter(|(key, _)| !key.starts_with('$') && !own.contains(&key.as_str()))
                    .collect();
                bench.db.run_command(again).await.expect("sent");
                assert_eq!(state(bench).await, whole);
            }
            assert_clean(bench).await;
        }
    })
    .await;
}

/// A step that was sent, and did not arrive before its saga was undone by another.
#[tokio::test]
async fn a_step_on_its_way_when_its_saga_is_undone_is_never_made() {
    on_both("saga_fence", async |bench| {
        begin(bench, 5, 0).await;
        let ended = buy(&bench.db).run().await.expect("run");
        assert!(matches!(ended, SagaOutcome::Undone { step: 2, .. }));
        // The same step over the version that the first purse had, as the late command has it.
        let late = doc! { "update": "shops", "updates": [{
            "q": { "_id": 1, "v": 0, "_dn.s": { "$ne": bson::oid::ObjectId::new() } },
            "u": { "$inc": { "stock": -1, "v": 1 } },
        }] };
        let reply = bench.db.run_command(late).await.expect("sent");
        assert_eq!(reply.get_i32("n").ok(), Some(0));
        assert_eq!(state(bench).await, (5, 0, 0, 0));
    })
    .await;
}

/// One that takes longer than its lease finds that another has ended it.
#[tokio::test]
async fn who_is_overtaken_is_told() {
    on_both("saga_overtaken", async |bench| {
        begin(bench, 5, 1).await;
        let db = &bench.db;
        let mut slow = Box::pin(buy(db).run());
        // As far as its second step, and no further for now. That is sent after the lease was extended: the extension must not arrive after
        // the time has passed.
        while bench.count() < 7 {
            let _ = futures::poll!(&mut slow);
            tokio::task::yield_now().await;
        }
        bench.forget();
        pass_time(bench).await;
        let resumed = resume(db).await.expect("resumed");
        assert_eq!((resumed.done.len(), resumed.undone.len()), (1, 0));
        let error = slow.await.expect_err("overtaken");
        assert!(
            matches!(error, Error::LeaseLost { token: 1, .. }),
            "{error}"
        );
        assert_eq!(state(bench).await, (3, 2, 1, 0));
        assert_clean(bench).await;
    })
    .await;
}

/// Many at once over the same documents: each is whole, and no coin is made or lost.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_at_once_keep_the_sum() {
    on_both("saga_many", async |bench| {
        begin(bench, 20, 100).await;
        let workers = (0..4).map(|_| {
            let db = bench.db.clone();
            tokio::spawn(async move {
                let mut done = 0;
                for _ in 0..3 {
                    let add = |id: i32, coins: i64| Purse::update(&db, id).inc(|p| p.coins, coins);
                    let pay = Saga::new(&db, "pay")
                        .step(add(1, -2).only_if(|p| p.coins.gte(2)), add(1, 2))
                        .step(add(2, 2), add(2, -2))
                        .run();
                    done += i64::from(matches!(pay.await.expect("run"), SagaOutcome::Done));
                }
                done
            })
        });
        let mut done = 0;
        for worker in workers.collect::<Vec<_>>() {
            done += worker.await.expect("ended");
        }
        // Twelve want two coins each of twenty; one may have been refused what another gave back later.
        assert!((1..=10).contains(&done), "{done}");
        let (first, second, ..) = state(bench).await;
        assert_eq!((first, second), (20 - 2 * done, 2 * done));
        assert_clean(bench).await;
    })
    .await;
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "named_purses")]
pub struct Named {
    #[serde(rename = "_id")]
    pub id: i32,
    pub name: String,
    pub coins: i64,
    #[version]
    pub version: i64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "purse_notes")]
pub struct Note {
    #[serde(rename = "_id")]
    pub id: i32,
    #[parent(Named)]
    pub purse: i32,
    #[denorm(from = Named, field = name)]
    pub purse_name: String,
}

#[tokio::test]
async fn what_cannot_be_a_step_is_refused_before_anything_is_sent() {
    on_both("saga_refused", async |bench| {
        let db = &bench.db;
        bench.index(&[Named::meta(), Note::meta()]).await;
        let named = Named {
            id: 1,
            name: "a".to_owned(),
            coins: 1,
            version: 0,
        };
        Named::insert(db, &named).await.expect("stored");
        bench.forget();
        let add = |id: i32, coins: i64| Purse::update(db, id).inc(|p| p.coins, coins);
        let other = Saga::new(db, "s").step(add(1, 1), add(2, -1));
        let adding =
            Saga::new(db, "s").step(add(1, 1), Purse::update(db, 1).push(|p| p.notes, "x"));
        let empty = Saga::new(db, "s").step(Purse::update(db, 1), add(1, -1));
        let rename = |name: &'static str| Named::update(db, 1).set(|n| n.name, name);
        let copied = Saga::new(db, "s").step(rename("b"), rename("a"));
        for (saga, says) in [
            (other, "its undo changes another document"),
            (adding, "which may be full by then"),
            (empty, "changes nothing"),
            (copied, "what other documents hold of a Named"),
        ] {
            let error = saga.run().await.expect_err("refused");
            assert!(error.to_string().contains(says), "{error}");
        }
        assert!(bench.sent().is_empty());
        // A field without copies works like any other.
        let count = |coins: i64| Named::update(db, 1).inc(|n| n.coins, coins);
        let ended = Saga::new(db, "s")
            .collection("own")
            .lease(Duration::from_secs(5));
        let ended = ended.step(count(1), count(-1)).run().await.expect("run");
        assert!(matches!(ended, SagaOutcome::Done));
        assert_eq!(
            bench.stored("named_purses", 1).await.get_i64("coins").ok(),
            Some(2)
        );
        let left = resume_in(db, "own").await.expect("resumed");
        assert!(left.done.is_empty() && left.undone.is_empty());
    })
    .await;
}
