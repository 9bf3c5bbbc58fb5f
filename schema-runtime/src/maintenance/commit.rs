//! The commit of a transaction, and what follows it.

use std::time::Instant;

use mongodb::error::TRANSIENT_TRANSACTION_ERROR;

use super::after::after_commit;
use crate::Database;
use crate::driver::transaction::{OpenTransaction, PATIENCE, Transaction, commit};
use crate::error::{Error, Result};
use crate::outcome::Pending;

impl Transaction {
    /// Commits, and then updates the copies that its writes have left pending. The commit is sent again for up to two minutes while its
    /// outcome is unknown. A failure after the commit does not undo it: that work stays flagged, and is returned.
    ///
    /// Sends `commitTransaction` and then what [`after_commit`] sends.
    ///
    /// # Errors
    /// The driver's, from the commit: with the label `TransientTransactionError` nothing was committed, and the transaction may be tried again.
    pub async fn commit(self, db: &Database) -> Result<Vec<Pending>> {
        commit(self.session).await?;
        let pending = self.pending.clone();
        // The committed documents carry a flag for all remaining work.
        Ok(after_commit(db, self.pending).await.unwrap_or(pending))
    }
}

/// Runs `work` in a transaction, commits it, and updates the copies that its writes have left pending. Needs a replica set.
///
/// `work` runs again when the server reports a passing conflict, and the commit is sent again when its outcome is unknown, for at most two
/// minutes. An error of `work` aborts the transaction and is returned. A failure after the commit does not undo it: that work stays
/// flagged, and [`recover`](crate::recover) or a [`Sweeper`](crate::Sweeper) finishes it. A call that is dropped before the commit aborts
/// the transaction at once.
///
/// Sends `commitTransaction` and then what [`after_commit`] sends. A task that another thread may take over (`tokio::spawn`, a web
/// handler) uses [`Transaction::begin`] and [`Transaction::commit`]: the compiler cannot say yet that the future of a call with an
/// async closure may move between threads.
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
/// # Errors
/// Those of `work`, and the driver's.
pub async fn transaction<T>(
    db: &Database,
    mut work: impl AsyncFnMut(&mut Transaction) -> Result<T>,
) -> Result<T> {
    let begun = Instant::now();
    loop {
        let mut open = OpenTransaction::begin(db).await?;
        let Some(tx) = open.get() else { continue };
        let worked = work(tx).await;
        let Some(tx) = open.take() else { continue };
        let done = match worked {
            Ok(done) => tx.commit(db).await.map(|_| done),
            Err(error) => {
                // If the abort fails, the server ends the transaction by itself.
                let _ = tx.abort().await;
                Err(error)
            }
        };
        match done {
            Err(error) if passes(&error, begun) => {}
            done => return done,
        }
    }
}

/// True if the transaction may succeed when it is tried again.
fn passes(error: &Error, begun: Instant) -> bool {
    let transient = match error {
        Error::Driver(error) => error.contains_label(TRANSIENT_TRANSACTION_ERROR),
        _ => false,
    };
    transient && begun.elapsed() < PATIENCE
}
