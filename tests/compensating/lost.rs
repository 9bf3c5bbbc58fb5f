//! Lost replies and lost commands, while another program takes the saga over and ends it.

use bson::{DateTime, Document, doc};
use mongo_model::{Database, Error, SagaOutcome, resume};
use tokio::runtime::Handle;

use crate::common::alone;
use crate::compensating::{assert_clean, begin, buy, state};
use crate::lossy::Lossy;

/// Makes the lease of every saga end, and ends them all, as another program would.
pub(crate) async fn take_over(db: &Database) {
    let past = doc! { "$set": { "until": DateTime::from_millis(1) } };
    let sagas = db.collection::<Document>("_dn.sagas");
    sagas.update_many(doc! {}, past).await.expect("changed");
    let resumed = resume(db).await.expect("resumed");
    assert!(resumed.failed.is_empty(), "{resumed:?}");
}

/// Each command of a saga in turn is lost, or the answer to it. Another program ends the saga before its own program sends the
/// command again: every step is made once, or undone once, and the saga is not run a second time.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_saga_that_another_has_ended_is_not_run_again() {
    for (sent, stock) in [(true, 1), (true, 0), (false, 1)] {
        let mut overtaken = Vec::new();
        // After a lost connection the driver waits for half a second: eight sagas wait together, each in a database of its own.
        for eight in 0.. {
            let sagas = (eight * 8..eight * 8 + 8).map(|nth| lose_one(sent, stock, nth));
            let ended = futures::future::join_all(sagas).await;
            overtaken.extend(ended.iter().flatten());
            if let Some(at) = ended.iter().position(Option::is_none) {
                assert!(eight * 8 + at > 14, "{sent} {stock}: {ended:?}");
                break;
            }
        }
        // It is overtaken at its first sign of life, and not before.
        let first = overtaken.iter().position(|overtaken| *overtaken);
        assert_eq!(first, Some(1), "{sent} {stock}: {overtaken:?}");
    }
}

/// Whether another program has overtaken the saga whose `nth` command was lost, or the answer to it. None if it sends fewer.
async fn lose_one(sent: bool, stock: i32, nth: usize) -> Option<bool> {
    let (mut is_lost, mut is_overtaken) = (false, false);
    let name = format!("saga_answers_{nth}");
    alone(&name, async |bench| {
        let lossy = Lossy::open().await;
        let db = lossy.database(bench.db.name()).await;
        // Known from now on: the commands that are counted are the saga's own.
        mongo_model::capabilities(&db).await.expect("answered");
        begin(bench, 5, stock).await;
        let (other, runtime) = (bench.db.clone(), Handle::current());
        lossy.lose_one(nth, bench.db.name(), sent, move || {
            runtime.block_on(take_over(&other));
        });
        let ended = buy(&db).run().await;
        is_lost = lossy.left() == 0;
        lossy.stop();
        // An attempt to insert the journal whose reply was lost may have left one, which is not run.
        take_over(&bench.db).await;
        let now = state(bench).await;
        let which = format!("{sent} {stock} {nth}: {ended:?} {now:?}");
        match ended {
            Ok(SagaOutcome::Done) => assert_eq!(now, (3, 2, 1, 0), "{which}"),
            Ok(SagaOutcome::Undone { .. }) => assert_eq!(now, (5, 0, 0, stock), "{which}"),
            Err(Error::LeaseLost { .. }) => {
                let whole = if stock == 0 {
                    (5, 0, 0, 0)
                } else {
                    (3, 2, 1, 0)
                };
                assert!(now == whole || now == (5, 0, 0, stock), "{which}");
                is_overtaken = true;
            }
            Err(error) => panic!("{which}: {error}"),
        }
        assert_clean(bench).await;
    })
    .await;
    is_lost.then_some(is_overtaken)
}

/// The question which features the server has is lost, or the answer: the saga runs, since nothing says that the server lacks one.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_lost_answer_about_the_server_refuses_no_saga() {
    alone("saga_hello", async |bench| {
        let lossy = Lossy::open().await;
        // The library remembers a handle by its address: one that lies where another lay, which is gone, does not ask. It is kept, so
        // that the next one lies elsewhere.
        let mut handles = Vec::new();
        let mut unasked = 0;
        for sent in [true, false] {
            loop {
                let db = lossy.database(bench.db.name()).await;
                begin(bench, 5, 1).await;
                lossy.lose_one(0, bench.db.name(), sent, || ());
                let ended = buy(&db).run().await;
                handles.push(db);
                let lost = lossy.lost();
                lossy.stop();
                assert!(matches!(ended, Ok(SagaOutcome::Done)), "{sent}: {ended:?}");
                assert_eq!(state(bench).await, (3, 2, 1, 0));
                if lost.as_deref() == Some("hello") {
                    break;
                }
                unasked += 1;
                assert!(unasked < 100, "the first command is {lost:?}");
                // The journal was lost instead, and may have left one that is not run.
                take_over(&bench.db).await;
            }
            assert_clean(bench).await;
        }
    })
    .await;
}
