//! A transaction, and what follows its commit.

use std::fmt;
use std::time::{Duration, Instant};

use bson::doc;
use mongodb::error::UNKNOWN_TRANSACTION_COMMIT_RESULT;
use tokio::runtime::Handle;

use super::capabilities::require;
use crate::error::Result;
use crate::error::server::Feature;
use crate::outcome::Pending;
use mongodb::{ClientSession, Database};

/// The time during which a transaction is tried again after a passing error, as in the driver.
pub(crate) const PATIENCE: Duration = Duration::from_secs(120);

/// A collection that no program has: a `find` of it reads nothing, and is sent to open or end a transaction. Its name is that of the
/// library's own fields, so no program uses it; nothing is stored in it.
const NO_COLLECTION: &str = "_dn";

/// An open transaction: reads and writes run in it with `.within(tx)`. Dropped without a commit, it is aborted.
pub struct Transaction {
    pub(crate) session: ClientSession,
    pub(crate) pending: Vec<Pending>,
}

// The driver's own output shows the options of the client, credentials among them.
impl fmt::Debug for Transaction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Transaction")
            .field("pending", &self.pending.len())
            .finish_non_exhaustive()
    }
}

impl Transaction {
    /// Opens a transaction in a new session. Needs a replica set. Nothing of it is sent before the first read or write; the first
    /// transaction of a handle sends a `hello`.
    ///
    /// Nothing runs it again after a conflict, unlike [`transaction`](crate::transaction). One with an earlier write of this program,
    /// which may still remove its flags, cannot happen after [`settle`](crate::settle).
    ///
    /// # Errors
    /// [`Error::Unsupported`](crate::Error::Unsupported) on a standalone server, or the driver's.
    pub async fn begin(db: &Database) -> Result<Self> {
        require(db, Feature::Transactions).await?;
        Transaction::open(db).await
    }

    /// Opens a transaction, whether or not the server has transactions.
    async fn open(db: &Database) -> Result<Self> {
        let mut session = db.client().start_session().await?;
        session.start_transaction().await?;
        let pending = Vec::new();
        Ok(Transaction { session, pending })
    }

    /// Commits, and nothing more.
    pub(crate) async fn only_commit(self) -> Result<()> {
        commit(self.session).await
    }

    /// Undoes everything.
    ///
    /// # Errors
    /// The driver's. The server undoes it all the same, once the transaction has been idle for a minute.
    pub async fn abort(mut self) -> Result<()> {
        Ok(end_in_task(async move { self.session.abort_transaction().await }).await?)
    }

    /// The session, and where to note what has to follow the commit.
    pub(crate) fn parts(&mut self) -> (&mut ClientSession, &mut Vec<Pending>) {
        (&mut self.session, &mut self.pending)
    }

    /// Ends it on the server, whatever became of its commands. One that was dropped while its first command was under way is not
    /// known to the driver as open, and that command may yet open it: a later transaction of the session ends it, or comes before
    /// it and makes the server refuse it.
    async fn abandon(mut self, db: &Database) {
        // Ignore an error: the server then ends the transaction by itself.
        let _ = self.session.abort_transaction().await;
        if self.session.start_transaction().await.is_ok() {
            let nothing = doc! { "find": NO_COLLECTION, "limit": 1, "singleBatch": true };
            let _ = db.run_command(nothing).session(&mut self.session).await;
            let _ = self.session.abort_transaction().await;
        }
    }

    /// The driver's session, for a command that only the driver has. A write of a model takes the transaction itself
    /// (`.within(tx)`): what follows it is then noted.
    pub fn driver_session(&mut self) -> &mut ClientSession {
        &mut self.session
    }

    /// Notes what has to follow the commit, for a write that ran with `.driver_session(..)`.
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
        let transaction = Some(Transaction::open(db).await?);
        let db = db.clone();
        Ok(OpenTransaction { db, transaction })
    }

    /// The transaction, while it is open.
    pub(crate) fn get(&mut self) -> Option<&mut Transaction> {
        self.transaction.as_mut()
    }

    /// The session of the transaction, while it is open.
    pub(crate) fn session(&mut self) -> Option<&mut ClientSession> {
        self.get().map(Transaction::driver_session)
    }

    /// Gives the transaction away, to be ended.
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

/// Commits. The command is sent again for up to two minutes while its outcome is unknown.
pub(crate) async fn commit(mut session: ClientSession) -> Result<()> {
    let begun = Instant::now();
    end_in_task(async move {
        loop {
            match session.commit_transaction().await {
                Err(error)
                    if error.contains_label(UNKNOWN_TRANSACTION_COMMIT_RESULT)
                        && begun.elapsed() < PATIENCE => {}
                done => return Ok(done?),
            }
        }
    })
    .await
}

/// Runs the end of a transaction in a task. The driver takes a transaction for ended before it sends the command: if the caller's future
/// were dropped in between, the transaction would stay open on the server for a minute, and other writers would wait for it.
async fn end_in_task<T: Send + 'static>(end: impl Future<Output = T> + Send + 'static) -> T {
    match tokio::spawn(end).await {
        Ok(done) => done,
        Err(error) => match error.try_into_panic() {
            Ok(panic) => std::panic::resume_unwind(panic),
            // The runtime is shutting down, and nothing runs after this.
            Err(_) => std::future::pending().await,
        },
    }
}
