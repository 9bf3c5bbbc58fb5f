//! A transaction, and what follows its commit.

use std::ops::{Deref, DerefMut};
use std::time::{Duration, Instant};

use mongodb::error::{TRANSIENT_TRANSACTION_ERROR, UNKNOWN_TRANSACTION_COMMIT_RESULT};

use super::after::after_commit;
use super::outcome::Pending;
use crate::error::{Error, Result};
use crate::{ClientSession, Database};

/// How long a transaction is tried again after passing trouble, as in the driver.
const PATIENCE: Duration = Duration::from_secs(120);

/// An open transaction: writes run in it with `.within(tx)`, reads with `.session(tx)`.
#[derive(Debug)]
pub struct Transaction {
    session: ClientSession,
    pending: Vec<Pending>,
}

impl Transaction {
    /// The session, and where to note what has to follow the commit.
    pub(crate) fn parts(&mut self) -> (&mut ClientSession, &mut Vec<Pending>) {
        (&mut self.session, &mut self.pending)
    }

    /// Notes what has to follow the commit, for a write that ran with `.session(..)`.
    pub fn follow(&mut self, pending: impl IntoIterator<Item = Pending>) {
        self.pending.extend(pending);
    }
}

impl Deref for Transaction {
    type Target = ClientSession;

    fn deref(&self) -> &ClientSession {
        &self.session
    }
}

impl DerefMut for Transaction {
    fn deref_mut(&mut self) -> &mut ClientSession {
        &mut self.session
    }
}

/// Runs `work` in a transaction, commits it, and brings the copies up to date that its writes have left pending. Needs a replica
/// set.
///
/// `work` runs again when the server reports a passing conflict, and the commit is sent again when its outcome is unknown, for
/// at most two minutes. An error of `work` aborts the transaction and is returned. What fails after the commit does not undo it:
/// it stays flagged, and [`recover`](crate::recover) or a [`Sweeper`](crate::Sweeper) finishes it.
///
/// Sends `commitTransaction` and then what [`after_commit`] sends.
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
    let session = db.client().start_session().await?;
    let mut tx = Transaction {
        session,
        pending: Vec::new(),
    };
    loop {
        tx.pending.clear();
        tx.session.start_transaction().await?;
        match work(&mut tx).await {
            Ok(done) => match commit(&mut tx.session, begun).await {
                Ok(()) => {
                    // The commit stands whatever becomes of this, and everything left is flagged.
                    let _ = after_commit(db, std::mem::take(&mut tx.pending)).await;
                    return Ok(done);
                }
                Err(error) if passes(&error, begun) => {}
                Err(error) => return Err(error),
            },
            Err(error) => {
                // An abort that fails leaves it to the server, which ends the transaction by itself.
                let _ = tx.session.abort_transaction().await;
                if !passes(&error, begun) {
                    return Err(error);
                }
            }
        }
    }
}

async fn commit(session: &mut ClientSession, begun: Instant) -> Result<()> {
    loop {
        match session.commit_transaction().await {
            Err(error)
                if error.contains_label(UNKNOWN_TRANSACTION_COMMIT_RESULT)
                    && begun.elapsed() < PATIENCE => {}
            done => return Ok(done?),
        }
    }
}

/// Whether the transaction may succeed when it is tried again.
fn passes(error: &Error, begun: Instant) -> bool {
    let transient = match error {
        Error::Driver(error) => error.contains_label(TRANSIENT_TRANSACTION_ERROR),
        _ => false,
    };
    transient && begun.elapsed() < PATIENCE
}
