//! A transaction, and what follows its commit.

use std::ops::{Deref, DerefMut};
use std::time::{Duration, Instant};

use bson::doc;
use mongodb::error::{TRANSIENT_TRANSACTION_ERROR, UNKNOWN_TRANSACTION_COMMIT_RESULT};
use tokio::runtime::Handle;

use super::after::after_commit;
use super::outcome::Pending;
use crate::error::{Error, Result};
use crate::{ClientSession, Database};

/// How long a transaction is tried again after passing trouble, as in the driver.
const PATIENCE: Duration = Duration::from_secs(120);

/// An open transaction: writes run in it with `.within(tx)`, reads with `.session(tx)`. Dropped without a commit, it is aborted.
#[derive(Debug)]
pub struct Transaction {
    session: ClientSession,
    pending: Vec<Pending>,
}

impl Transaction {
    /// Opens a transaction in a session of its own. Needs a replica set. Nothing is sent before the first read or write.
    ///
    /// # Errors
    /// The driver's.
    pub async fn begin(db: &Database) -> Result<Self> {
        let mut session = db.client().start_session().await?;
        session.start_transaction().await?;
        let pending = Vec::new();
        Ok(Transaction { session, pending })
    }

    /// Commits, and brings the copies up to date that its writes have left pending. The commit is sent again for up to two minutes
    /// while its outcome is unknown. What fails after it does not undo it: that stays flagged, and is returned.
    ///
    /// Sends `commitTransaction` and then what [`after_commit`] sends.
    ///
    /// # Errors
    /// The driver's, from the commit: with the label `TransientTransactionError` nothing was committed, and the whole may be tried
    /// again.
    pub async fn commit(mut self, db: &Database) -> Result<Vec<Pending>> {
        commit(&mut self.session, Instant::now()).await?;
        let pending = self.pending.clone();
        // Everything that is left to do is flagged in what was committed.
        Ok(after_commit(db, self.pending).await.unwrap_or(pending))
    }

    /// Commits, and nothing more.
    pub(crate) async fn only_commit(mut self) -> Result<()> {
        commit(&mut self.session, Instant::now()).await
    }

    /// Undoes everything.
    ///
    /// # Errors
    /// The driver's. The server undoes it all the same, when the transaction has been idle for a minute.
    pub async fn abort(mut self) -> Result<()> {
        Ok(self.session.abort_transaction().await?)
    }

    /// The session, and where to note what has to follow the commit.
    pub(crate) fn parts(&mut self) -> (&mut ClientSession, &mut Vec<Pending>) {
        (&mut self.session, &mut self.pending)
    }

    /// Ends it on the server, whatever became of its commands. One that was dropped while its first command was under way is not
    /// known to the driver as open, and that command may yet open it: a later transaction of the session ends it, or comes before
    /// it and makes the server refuse it.
    async fn abandon(mut self, db: &Database) {
        // What fails leaves it to the server, which ends the transaction by itself.
        let _ = self.session.abort_transaction().await;
        if self.session.start_transaction().await.is_ok() {
            let nothing = doc! { "find": "_dn", "limit": 1, "singleBatch": true };
            let _ = db.run_command(nothing).session(&mut self.session).await;
            let _ = self.session.abort_transaction().await;
        }
    }

    /// Notes what has to follow the commit, for a write that ran with `.session(..)`.
    pub fn follow(&mut self, pending: impl IntoIterator<Item = Pending>) {
        self.pending.extend(pending);
    }
}

/// A transaction for as long as nothing has ended it. Where its future is dropped before that, a task ends it.
#[derive(Debug)]
pub(crate) struct OpenTransaction {
    db: Database,
    transaction: Option<Transaction>,
}

impl OpenTransaction {
    pub(crate) async fn begin(db: &Database) -> Result<Self> {
        let transaction = Some(Transaction::begin(db).await?);
        let db = db.clone();
        Ok(OpenTransaction { db, transaction })
    }

    /// It, while it is open.
    pub(crate) fn get(&mut self) -> Option<&mut Transaction> {
        self.transaction.as_mut()
    }

    /// Its session, while it is open.
    pub(crate) fn session(&mut self) -> Option<&mut ClientSession> {
        self.get().map(|transaction| &mut **transaction)
    }

    /// It, to be ended.
    pub(crate) fn take(&mut self) -> Option<Transaction> {
        self.transaction.take()
    }
}

impl Drop for OpenTransaction {
    fn drop(&mut self) {
        if let (Some(transaction), Ok(runtime)) = (self.take(), Handle::try_current()) {
            let db = self.db.clone();
            runtime.spawn(async move { transaction.abandon(&db).await });
        }
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
/// it stays flagged, and [`recover`](crate::recover) or a [`Sweeper`](crate::Sweeper) finishes it. A call that is dropped before
/// the commit aborts the transaction at once.
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
                // An abort that fails leaves it to the server, which ends the transaction by itself.
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
