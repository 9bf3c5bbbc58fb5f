//! Lost replies and lost commands, while another program takes the saga over and ends it.

use bson::{DateTime, Document, doc};
use mongo_model::{Database, Error, SagaOutcome, resume};
use tokio::runtime::Handle;

use crate::common::alone;
use crate::compensating::{assert_clean, begin, buy, state};
use crate::lossy::Lossy;

/// Makes the lease of every saga end, and ends them all, as another program would.
async fn take_over(db: &Database) {
    let past = doc! { "$set": { "until": DateTime::from_millis(1) } };
    let sagas = db.collection::<Document>("sagas");
    sagas.update_many(doc! {}, past).await.expect("changed");
    let resumed = resume(db).await.expect("resumed");
    assert!(resumed.failed.is_empty(), "{resumed:?}");
}

/// Each command of a saga in turn is lost, or the answer to it. Another program ends the saga before its own program sends the
/// command again: every step is made once, or undone once, and the saga is not run a second time.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_saga_that_another_has_ended_is_not_run_again() {
    alone("saga_answers", async |bench| {
        let lossy = Lossy::open().await;
        let db = lossy.database(bench.db.name()).await;
        // Known from now on: the commands that are counted are the saga's own.
        mongo_model::capabilities(&db).await.expect("answered");
        let cases = [(1, (3, 2, 1, 0)), (0, (5, 0, 0, 0))];
        for (sent, (stock, whole)) in [(true, cases[0]), (true, cases[1]), (false, cases[0])] {
            let mut ends = Vec::new();
            for nth in 0.. {
                begin(bench, 5, stock).await;
                let (other, runtime) = (bench.db.clone(), Handle::current());
                lossy.lose_one(nth, bench.db.name(), sent, move || {
                    runtime.block_on(take_over(&other));
                });
                let ended = buy(&db).run().await;
                let lost = lossy.left() == 0;
                lossy.stop();
                // An attempt to insert the journal whose reply was lost may have left one, which is not run.
                take_over(&bench.db).await;
                let now = state(bench).await;
                let which = format!("{sent} {stock} {nth}: {ended:?} {now:?}");
                match ended {
                    Ok(SagaOutcome::Done) => assert_eq!(now, (3, 2, 1, 0), "{which}"),
                    Ok(SagaOutcome::Undone { .. }) => assert_eq!(now, (5, 0, 0, stock), "{which}"),
                    Err(Error::LeaseLost { .. }) => {
                        assert!(now == whole || now == (5, 0, 0, stock), "{which}");
                        ends.push(nth);
                    }
                    Err(error) => panic!("{which}: {error}"),
                }
                assert_clean(bench).await;
                if !lost {
                    assert!(nth > 14, "{which}");
                    break;
                }
            }
            // It is overtaken at its first sign of life, and not before.
            assert_eq!(ends.first(), Some(&1), "{ends:?}");
        }
    })
    .await;
}

/// The question which features the server has is lost, or the answer: the saga runs, since nothing says that the server lacks one.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_lost_answer_about_the_server_refuses_no_saga() {
    alone("saga_hello", async |bench| {
        let lossy = Lossy::open().await;
        for sent in [true, false] {
            let db = lossy.database(bench.db.name()).await;
            begin(bench, 5, 1).await;
            lossy.lose_one(0, bench.db.name(), sent, || ());
            let ended = buy(&db).run().await;
            assert_eq!(
                lossy.left(),
                0,
                "the first command to this database is the `hello`"
            );
            lossy.stop();
            assert!(matches!(ended, Ok(SagaOutcome::Done)), "{sent}: {ended:?}");
            assert_eq!(state(bench).await, (3, 2, 1, 0));
            assert_clean(bench).await;
        }
    })
    .await;
}
