//! The commit of a transaction, and what follows it.

use std::time::Instant;

use futures::future::BoxFuture;
use mongodb::error::TRANSIENT_TRANSACTION_ERROR;

use super::after::after_commit;
use crate::driver::Database;
use crate::driver::attempts::pause_transaction;
use crate::driver::capabilities::require;
use crate::driver::transaction::{OpenTransaction, PATIENCE, Transaction, commit};
use crate::error::server::Feature;
use crate::error::{Error, Result};
use crate::outcome::Pending;

impl Transaction {
    /// Commits, and then updates the copies that its writes have left pending. The commit is sent again for up to two minutes while its
    /// outcome is unknown. A failure after the commit does not undo it: that work stays flagged, and is returned.
    ///
    /// Sends `commitTransaction` and then what [`after_commit`] sends.
    ///
    /// # Errors
    /// The driver's, from the commit. With the label `TransientTransactionError` nothing was committed: the transaction may be tried again.
    pub async fn commit(self, db: &Database) -> Result<Vec<Pending>> {
        commit(self.session).await?;
        let pending = self.pending.clone();
        // The committed documents carry a flag for all remaining work.
        Ok(after_commit(db, self.pending).await.unwrap_or(pending))
    }
}

/// Runs `work` in a transaction, commits it, and updates the copies that its writes have left pending. Needs a replica set.
///
/// `work` runs again when the server reports a transient conflict, after a random pause that grows to half a second. The commit is sent
/// again when its outcome is unknown, for at most two minutes. An error of `work` aborts the transaction and is returned; an error of
/// another type becomes one by [`Error::aborted`]. A failure after the commit does not undo it: that work stays flagged, and
/// [`recover`](crate::recover) or a [`Sweeper`](crate::Sweeper) finishes it. A call that is dropped before the commit aborts the
/// transaction at once.
///
/// The first transaction of a handle sends a `hello`. Each then sends `commitTransaction` and what [`after_commit`]
/// sends.
///
/// ```no_run
/// # use mongo_model::{Database, Id, MongoModel};
/// # use serde::{Deserialize, Serialize};
/// # #[derive(Debug, Serialize, Deserialize, MongoModel)]
/// # #[model(collection = "parts")]
/// # pub struct Part { #[serde(rename = "_id")] pub id: Id<Part>, pub name: String }
/// # async fn example(db: &Database, a: Id<Part>, b: Id<Part>) -> mongo_model::Result<()> {
/// mongo_model::transaction(db, async |tx| {
///     Part::update(db, a).set(|p| p.name, "bolt").within(tx).await?;
///     Part::update(db, b).set(|p| p.name, "nut").within(tx).await?;
///     Ok(())
/// })
/// .await
/// # }
/// ```
///
/// # In a spawned task
///
/// In a task that may move between threads (`tokio::spawn`, an axum or tonic handler), the closure has to own what it uses: `async move`,
/// with a clone of the database, which costs next to nothing. The compiler cannot prove yet that a closure with a borrowed value
/// makes a future that is `Send`; it says "implementation of `Send` is not general enough". [`transaction_boxed`] takes borrowed values.
///
/// ```
/// # use mongo_model::{Database, Id, MongoModel};
/// # use serde::{Deserialize, Serialize};
/// # #[derive(Debug, Serialize, Deserialize, MongoModel)]
/// # #[model(collection = "parts")]
/// # pub struct Part { #[serde(rename = "_id")] pub id: Id<Part>, pub name: String }
/// async fn rename(db: Database, a: Id<Part>, name: String) -> mongo_model::Result<()> {
///     let inside = db.clone();
///     mongo_model::transaction(&db, async move |tx| {
///         Part::update(&inside, a).set(|p| p.name, &name).within(tx).await?;
///         Ok(())
///     })
///     .await
/// }
/// # fn handler(db: Database, a: Id<Part>) {
/// tokio::spawn(rename(db, a, "bolt".to_owned()));
/// # }
/// ```
///
/// # Errors
/// The errors of `work` and of the driver; [`Error::Unsupported`] on a standalone server, before `work` is called.
pub async fn transaction<T>(
    db: &Database,
    mut work: impl AsyncFnMut(&mut Transaction) -> Result<T>,
) -> Result<T> {
    require(db, Feature::Transactions).await?;
    let begun = Instant::now();
    let mut attempt = 0;
    loop {
        let mut open = OpenTransaction::begin(db).await?;
        let Some(tx) = open.get() else { continue };
        let worked = work(tx).await;
        let Some(tx) = open.take() else { continue };
        if let Some(done) = end(db, tx, worked, begun).await {
            return done;
        }
        pause_transaction(attempt).await;
        attempt += 1;
    }
}

/// As [`transaction`], for a task that may move between threads (`tokio::spawn`, an axum or tonic handler) and a closure that borrows.
/// `work` is a closure that returns a boxed future. It gets the transaction and the database, and may borrow values that live as
/// long as the database.
///
/// ```no_run
/// # use mongo_model::{Database, Id, MongoModel};
/// # use serde::{Deserialize, Serialize};
/// # #[derive(Debug, Serialize, Deserialize, MongoModel)]
/// # #[model(collection = "parts")]
/// # pub struct Part { #[serde(rename = "_id")] pub id: Id<Part>, pub name: String }
/// /// A handler: its future is `Send`.
/// async fn rename(db: Database, a: Id<Part>, name: String) -> mongo_model::Result<()> {
///     mongo_model::transaction_boxed(&db, |tx, db| {
///         let name = name.clone();
///         Box::pin(async move {
///             Part::update(db, a).set(|p| p.name, name).within(tx).await?;
///             Ok(())
///         })
///     })
///     .await
/// }
/// # fn handler(db: Database, a: Id<Part>) {
/// tokio::spawn(rename(db, a, "bolt".to_owned()));
/// # }
/// ```
///
/// # Errors
/// As [`transaction`].
pub async fn transaction_boxed<'a, T: Send>(
    db: &'a Database,
    mut work: impl for<'t> FnMut(&'t mut Transaction, &'t &'a Database) -> BoxFuture<'t, Result<T>>
    + Send,
) -> Result<T> {
    require(db, Feature::Transactions).await?;
    let begun = Instant::now();
    let mut attempt = 0;
    loop {
        let mut open = OpenTransaction::begin(db).await?;
        let Some(tx) = open.get() else { continue };
        let worked = work(tx, &db).await;
        let Some(tx) = open.take() else { continue };
        if let Some(done) = end(db, tx, worked, begun).await {
            return done;
        }
        pause_transaction(attempt).await;
        attempt += 1;
    }
}

/// Commits or aborts the transaction; `None` if it may succeed when it is tried again.
async fn end<T>(
    db: &Database,
    tx: Transaction,
    worked: Result<T>,
    begun: Instant,
) -> Option<Result<T>> {
    let done = match worked {
        Ok(done) => tx.commit(db).await.map(|_| done),
        Err(error) => {
            // If the abort fails, the server ends the transaction by itself.
            let _ = tx.abort().await;
            Err(error)
        }
    };
    match done {
        Err(error) if passes(&error, begun) => None,
        done => Some(done),
    }
}

/// True if the transaction may succeed when it is tried again.
fn passes(error: &Error, begun: Instant) -> bool {
    let transient = match error.in_own() {
        Error::Driver(error) => error.contains_label(TRANSIENT_TRANSACTION_ERROR),
        _ => false,
    };
    transient && begun.elapsed() < PATIENCE
}
