//! One-off migrations: functions that change a database once, in an order that they declare.
//!
//! A function with `#[migration]` is registered when it is linked into a program, as a model is. [`migrate_all`] runs those that the
//! database has not seen, and records each in a ledger, the collection `_dn.migrations`. Call it when a program starts, before the
//! program serves; or let `cargo mongo-model migrations run` do so in a step of the deploy.
//!
//! ```
//! use mongo_model::{Id, Migration, MongoModel, Result, migration};
//! use serde::{Deserialize, Serialize};
//!
//! #[derive(Serialize, Deserialize, MongoModel)]
//! #[model(collection = "members")]
//! pub struct Member {
//!     #[serde(rename = "_id")]
//!     pub id: Id<Member>,
//!     pub email: String,
//! }
//!
//! /// `email` gets a unique index, which compares letters exactly.
//! #[migration]
//! async fn lower_emails(m: &Migration) -> Result<()> {
//!     let all = Member::scan(m.db(), |_| mongo_model::filter::everything());
//!     m.each(all, async |member: Member| {
//!         let email = member.email.to_lowercase();
//!         Member::update(m.db(), member.id).set(|m| m.email, email).await?;
//!         Ok(())
//!     })
//!     .await?;
//!     Ok(())
//! }
//!
//! #[migration(after = "lower_emails")]
//! async fn drop_old_collection(m: &Migration) -> Result<()> {
//!     m.db().collection::<bson::Document>("old_members").drop().await?;
//!     Ok(())
//! }
//! ```
//!
//! # What a migration may rely on
//! * It runs after those that its `after` names are done. Among several that may run next the order is that of their names.
//! * The indexes that its `needs` names are there: a run builds those that are missing when all before it is done. So a migration that removes
//!   duplicates comes before the one that needs the unique index. An index that cannot be built is an error of the migration that needs it.
//! * One program at a time runs migrations: it holds a [lock](crate::lock) that it extends every 10 seconds. The others wait.
//! * A migration that fails, or whose program dies, is not done. The next run calls the function once more: each walk
//!   ([`Migration::each`]) continues at its stored position, and other code runs again. So the code outside of walks, and the change of each
//!   document, must be such that doing it twice does what doing it once does.
//! * A program that has lost the lock, because it paused for more than 30 seconds, stops at its next stored position, and cannot record
//!   that the migration is done.
//!
//! The function keeps its name, and stays in the program, until every database has run it: a migration that a database has run
//! and a program does not know means that the program is older than the database ([`Error::MigrationsAhead`](crate::Error::MigrationsAhead)).

mod each;
mod ledger;
pub(crate) mod needs;
mod order;
mod run;
mod status;
pub(crate) mod step;

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

pub use self::each::Each;
pub use self::ledger::MigrationState;
use self::ledger::{Claim, WalkPosition};
pub use self::run::{MigrateAll, RanMigrations, migrate_all, undo_migration};
pub use self::status::{MigrationStatus, list_migrations};
use crate::driver::Database;
pub use crate::error::order::OrderError;
use crate::find::Find;
use crate::schema::model::Model;

/// The function that is called as a migration goes on.
type Listener = Arc<dyn Fn(&MigrationProgress) + Send + Sync>;

/// A migration that runs: what its function is given.
pub struct Migration {
    claim: Claim,
    walks: Vec<WalkPosition>,
    /// The number of walks that the function has begun.
    begun: AtomicUsize,
    listener: Option<Listener>,
}

/// The progress of a migration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct MigrationProgress {
    /// The migration.
    pub name: &'static str,
    /// The number of documents that its present walk has been through.
    pub documents: u64,
}

impl fmt::Debug for Migration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Migration")
            .field("name", &self.claim.name)
            .finish_non_exhaustive()
    }
}

impl Migration {
    /// The database.
    #[must_use]
    pub fn db(&self) -> &Database {
        &self.claim.db
    }

    /// Calls the function with each document of the query, in the order of the `_id`s, and stores the position after every 100 documents:
    /// a run that was interrupted continues there. So up to 100 documents are given to the function twice. `sort`, `limit` and `skip` of the
    /// query are ignored.
    ///
    /// The walks of a migration are told apart by their number: the function begins them in the same order each time it is called.
    ///
    /// Sends per batch one `find`, to the primary unless the query names another server, and one durable `update` of the ledger.
    ///
    /// # Errors
    /// When awaited: those of the query and of the function; [`Error::LeaseLost`](crate::Error::LeaseLost) if another program has continued the
    /// migration; [`Error::Impossible`](crate::Error::Impossible) for a query in a transaction, or with `skip_undecodable`. The driver's.
    pub fn each<'a, M: Model, O, K, F>(
        &'a self,
        documents: Find<'a, M, O, K>,
        change: F,
    ) -> Each<'a, M, O, F> {
        Each::new(self, documents.retyped(), change)
    }

    /// The number of the walk that begins, and its stored position.
    fn next_walk(&self) -> (usize, WalkPosition) {
        let number = self.begun.fetch_add(1, Ordering::Relaxed);
        let position = self.walks.get(number).cloned();
        (number, position.unwrap_or_default())
    }

    /// Gives the progress to the listener, and to `tracing` as an event.
    fn report(&self, documents: u64) {
        #[cfg(feature = "tracing")]
        tracing::info!(target: "mongo_model::migrations", migration = self.claim.name, documents, "migration");
        if let Some(listener) = &self.listener {
            let name = self.claim.name;
            listener(&MigrationProgress { name, documents });
        }
    }
}
