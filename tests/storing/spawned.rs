//! A transaction in a task that another thread may take over.

use mongo_model::{Database, Error, MongoModel, Result};

use super::{Person, person};
use crate::common::in_set;

/// A handler as web frameworks take it: an async function whose future is `Send` and `'static`.
async fn rename(db: Database, id: i32, note: String) -> Result<u64> {
    let outcome = mongo_model::transaction_boxed(&db, |tx, db| {
        let note = &note;
        Box::pin(async move {
            Person::update(db, id)
                .set(|p| p.note, note)
                .within(tx)
                .await
        })
    });
    Ok(outcome.await?.modified)
}

/// The same with an async closure, which owns what it uses.
async fn rename_by_closure(db: Database, id: i32, note: String) -> Result<u64> {
    let inside = db.clone();
    let outcome = mongo_model::transaction(&db, async move |tx| {
        Person::get(&inside, id).within(tx).await?;
        let update = Person::update(&inside, id).set(|p| p.note, &note);
        update.within(tx).await
    });
    Ok(outcome.await?.modified)
}

fn serve<F, Fut>(handler: F) -> F
where
    F: Fn(Database, i32, String) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<u64>> + Send + 'static,
{
    handler
}

#[tokio::test]
async fn a_handler() {
    in_set("handler", async |bench| {
        Person::insert(&bench.db, &person(1)).await.expect("stored");
        let call = serve(rename)(bench.db.clone(), 1, "y".to_owned());
        let modified = tokio::spawn(call).await.expect("no panic");
        assert_eq!(modified.expect("committed"), 1);
        let call = serve(rename_by_closure)(bench.db.clone(), 1, "x".to_owned());
        let modified = tokio::spawn(call).await.expect("no panic");
        assert_eq!(modified.expect("committed"), 1);
        bench.forget();
        // An error of the work aborts the transaction.
        let refused = rename(bench.db.clone(), 2, "z".to_owned()).await;
        assert!(
            matches!(refused, Err(Error::NotFound { .. })),
            "{refused:?}"
        );
    })
    .await;
}

#[tokio::test]
async fn a_transaction_in_a_spawned_task() {
    in_set("spawned", async |bench| {
        let db = bench.db.clone();
        let done = tokio::spawn(async move {
            let one = person(1);
            let mut tries = 0;
            let outcome = mongo_model::transaction_boxed(&db, |tx, db| {
                tries += 1;
                let one = &one;
                Box::pin(async move {
                    Person::insert(db, one).within(tx).await?;
                    Person::update(db, 1).set(|p| p.note, "x").within(tx).await
                })
            });
            let outcome = outcome.await;
            assert_eq!(tries, 1);
            outcome
        });
        let outcome = done.await.expect("no panic").expect("committed");
        assert_eq!(outcome.modified, 1);
        assert_eq!(bench.len("people").await, 1);
    })
    .await;
}
