//! Sagas that do not end: contended ones, which are undone, and stopped ones, which `resume` ends.

use std::future::IntoFuture;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use bson::oid::ObjectId;
use bson::{Document, doc};
use mongo_model::{Error, MongoModel, Saga, SagaOutcome, Sweeper, recover, resume};
use mongo_model_dev_server::{DevServer, Topology};
use mongodb::event::EventHandler;
use mongodb::event::command::CommandEvent;
use tokio::runtime::Handle;
use tokio::task::block_in_place;

use crate::common::{Bench, alone, on_both};
use crate::compensating::{Purse, Shop, assert_clean, begin, buy, pass_time, state};

/// Nobody completes a saga later that the caller was told to run again.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_contended_saga_is_undone_and_may_be_run_again() {
    alone("saga_contended", async |bench| {
        begin(bench, 5, 1).await;
        let is_contended = Arc::new(AtomicBool::new(true));
        let (on, shops, runtime) = (
            Arc::clone(&is_contended),
            bench.raw("shops"),
            Handle::current(),
        );
        let rival = move |event: CommandEvent| {
            let CommandEvent::Started(started) = event else {
                return;
            };
            let is_step = started.command.get_str("update").ok() == Some("shops");
            if is_step && on.load(Ordering::SeqCst) {
                let change = shops.update_one(doc! { "_id": 1 }, doc! { "$inc": { "v": 1 } });
                let changed = block_in_place(|| runtime.block_on(change.into_future()));
                changed.expect("changed");
            }
        };
        let server = DevServer::shared(Topology::Standalone).await;
        let client = server.expect("a server").client_with(|options| {
            options.command_event_handler = Some(EventHandler::callback(rival));
        });
        let db = client.await.expect("a client").database(bench.db.name());
        let ended = buy(&db).run().await.expect("undone");
        let SagaOutcome::Undone {
            step: 2,
            why: Some(why),
        } = ended
        else {
            panic!("{ended:?}");
        };
        assert!(
            matches!(*why, Error::Unsettled { model: "Shop", .. }) && why.is_transient(),
            "{why}"
        );
        assert_eq!(state(bench).await, (5, 0, 0, 1));
        assert_clean(bench).await;
        is_contended.store(false, Ordering::SeqCst);
        let ended = buy(&db).run().await.expect("run");
        assert!(matches!(ended, SagaOutcome::Done), "{ended:?}");
        assert_eq!(state(bench).await, (3, 2, 1, 0));
        assert_clean(bench).await;
    })
    .await;
}

/// Lets the server refuse journals that are not in one of these states.
pub(crate) async fn allow(bench: &Bench, states: Option<&[&str]>) {
    let validator = states.map_or(doc! {}, |states| doc! { "state": { "$in": states } });
    let change = doc! { "collMod": "_dn.sagas", "validator": validator };
    bench.db.run_command(change).await.expect("changed");
    bench.forget();
}

/// The calls that end the saga of another program.
#[derive(Clone, Copy)]
enum By {
    Resume,
    Recover,
    Sweeper,
}

async fn end_saga(bench: &Bench, by: By, journal: &ObjectId) {
    match by {
        By::Resume => {
            let resumed = resume(&bench.db).await.expect("resumed");
            assert_eq!(resumed.done, [*journal]);
            assert!(resumed.undone.is_empty() && resumed.failed.is_empty());
        }
        By::Recover => {
            assert_eq!(recover(&bench.db).await.expect("recovered").sagas, 1);
            bench.forget();
            assert!(recover(&bench.db).await.expect("recovered").is_idle());
            assert!(bench.sent().iter().all(|name| name == "find"));
        }
        By::Sweeper => {
            let mut sweeper = Sweeper::new(&bench.db).sagas();
            assert_eq!(sweeper.sweep().await.expect("swept").sagas, 1);
            bench.forget();
            assert!(sweeper.sweep().await.expect("swept").is_idle());
            let sent = bench.take();
            let journals = sent.iter().filter(|sent| {
                let of =
                    |command: &Document| command.get_str("findAndModify").ok() == Some("_dn.sagas");
                of(&sent.command)
            });
            assert_eq!(journals.count(), 1, "{sent:?}");
        }
    }
}

#[tokio::test]
async fn a_saga_that_an_error_stops_is_ended_by_resume_and_is_not_to_be_repeated() {
    on_both("saga_stopped", async |bench| {
        for by in [By::Resume, By::Recover, By::Sweeper] {
            begin(bench, 5, 1).await;
            let create = bench.db.create_collection("_dn.sagas");
            create.await.expect("created");
            // All steps are made; that they are made cannot be noted.
            allow(bench, Some(&["new", "doing"])).await;
            let error = buy(&bench.db).run().await.expect_err("stopped");
            let Error::SagaStopped { name, journal, .. } = &error else {
                panic!("{error}");
            };
            assert!(name == "buy" && !error.is_transient(), "{error}");
            let start =
                format!("the saga `buy` has stopped, and `resume` ends it (journal {journal}): ");
            assert!(error.to_string().starts_with(&start), "{error}");
            allow(bench, None).await;
            pass_time(bench).await;
            end_saga(bench, by, journal).await;
            assert_eq!(state(bench).await, (3, 2, 1, 0));
            assert_clean(bench).await;
        }
    })
    .await;
}

/// The document stays one that can be read, and the saga is not over.
#[tokio::test]
async fn an_undo_does_not_leave_the_range_of_an_integer() {
    on_both("saga_range", async |bench| {
        begin(bench, 5, 1).await;
        let db = &bench.db;
        let stopped = Saga::new(db, "fill")
            .step(
                Shop::update(db, 1).set(|s| s.stock, i32::MAX),
                Shop::update(db, 1).inc(|s| s.stock, 1),
            )
            .step(
                Purse::update(db, 9).inc(|p| p.coins, 1),
                Purse::update(db, 9).inc(|p| p.coins, -1),
            )
            .run()
            .await;
        let error = stopped.expect_err("stopped");
        let text = "a number of the Shop would leave the range of its type, or break a check";
        assert!(matches!(error, Error::SagaStopped { .. }), "{error}");
        assert!(error.to_string().contains(text), "{error}");
        assert_eq!(state(bench).await, (5, 0, 0, i32::MAX));

        let change = Shop::update(db, 1).set(|s| s.stock, 4);
        change.await.expect("changed");
        pass_time(bench).await;
        let resumed = resume(db).await.expect("resumed");
        assert_eq!((resumed.undone.len(), resumed.failed.len()), (1, 0));
        assert_eq!(state(bench).await, (5, 0, 0, 5));
        assert_clean(bench).await;
    })
    .await;
}
