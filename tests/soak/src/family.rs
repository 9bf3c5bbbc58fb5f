//! The two halves of the test: copies, and derived data of parents. They share everything but their models.

use std::collections::HashMap;
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

use bson::{Document, doc};
use futures::TryStreamExt;
use futures::future::try_join_all;
use mongo_model::{ClientSession, Database};

use crate::client::{self, Mode};
use crate::oracle::{self, Audit};
use crate::random::Random;
use crate::{kept, models, reused, steps};

/// A family of models, and the writes to them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Family {
    /// Parts that are copied.
    Copies,
    /// Two-way references, memberships, checked references, last-N lists, counters, and deletes.
    Kept,
    /// Documents that come back under the ids that they had.
    Reused,
}

type Done<T = ()> = mongo_model::Result<T>;

/// A collection with its documents.
type Stored = (&'static str, Vec<Document>);

/// The initial documents by the name of a database and the situation.
fn prepared() -> MutexGuard<'static, HashMap<String, Vec<Stored>>> {
    static PREPARED: LazyLock<Mutex<HashMap<String, Vec<Stored>>>> = LazyLock::new(Mutex::default);
    PREPARED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Replaces the documents of the collections.
async fn store(db: &Database, all: &[Stored]) -> mongodb::error::Result<()> {
    let replaced = all.iter().map(async |(name, documents)| {
        let collection = db.collection::<Document>(name);
        collection.delete_many(doc! {}).await?;
        if !documents.is_empty() {
            collection.insert_many(documents).await?;
        }
        Ok(())
    });
    try_join_all(replaced).await.map(drop)
}

impl Family {
    /// `copies`, `kept` or `reused`.
    #[must_use]
    pub fn named(name: &str) -> Option<Family> {
        match name {
            "copies" => Some(Family::Copies),
            "kept" => Some(Family::Kept),
            "reused" => Some(Family::Reused),
            _ => None,
        }
    }

    /// The name of the family.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Family::Copies => "copies",
            Family::Kept => "kept",
            Family::Reused => "reused",
        }
    }

    /// The writes that can be stopped.
    #[must_use]
    pub fn steps(self) -> &'static [&'static str] {
        match self {
            Family::Copies => &steps::STEPS,
            Family::Kept => &kept::steps::STEPS,
            Family::Reused => &reused::steps::STEPS,
        }
    }

    /// Those that need a replica set.
    #[must_use]
    pub fn in_transaction(self) -> &'static [&'static str] {
        match self {
            Family::Copies => &steps::IN_TRANSACTION,
            Family::Kept => &kept::steps::IN_TRANSACTION,
            Family::Reused => &[],
        }
    }

    /// The points where they can stop.
    #[must_use]
    pub fn points(self) -> &'static [&'static str] {
        match self {
            Family::Copies => &steps::POINTS,
            Family::Kept => &kept::steps::POINTS,
            Family::Reused => &reused::steps::POINTS,
        }
    }

    /// The collections.
    #[must_use]
    pub fn collections(self) -> &'static [&'static str] {
        match self {
            Family::Copies => &models::COLLECTIONS,
            Family::Kept => &kept::models::COLLECTIONS,
            Family::Reused => &reused::models::COLLECTIONS,
        }
    }

    /// Creates the declared indexes.
    ///
    /// # Errors
    /// The library's.
    pub async fn index(self, db: &Database) -> Done {
        match self {
            Family::Copies => models::index(db).await,
            Family::Kept => kept::models::index(db).await,
            Family::Reused => reused::models::index(db).await,
        }
    }

    /// Stores the initial documents of `step`, all of them correct; if it is a recovery, with flags. The library writes them once in a database;
    /// from then on they are stored again as they were, which takes a fifth of the time.
    ///
    /// # Errors
    /// The library's.
    pub async fn prepare(self, db: &Database, step: &str) -> Done {
        let key = format!("{} {}", db.name(), self.situation(step));
        let read = prepared().get(&key).cloned();
        if let Some(read) = read {
            return Ok(store(db, &read).await?);
        }
        match self {
            Family::Copies => {
                steps::prepare(db).await?;
                if step == "recover" {
                    steps::leave_flags(db).await?;
                }
            }
            Family::Kept => kept::steps::prepare(db).await?,
            Family::Reused => reused::steps::prepare(db, step).await?,
        }
        mongo_model::settle(db).await;
        let read = self.collections().iter().map(async |name| {
            let rows = db.collection(name).find(doc! {}).await?;
            Ok::<Stored, mongodb::error::Error>((name, rows.try_collect().await?))
        });
        let read = try_join_all(read).await?;
        prepared().insert(key, read);
        Ok(())
    }

    /// The name of the situation that decides the initial documents of a step.
    fn situation(self, step: &str) -> &str {
        match self {
            Family::Copies if step == "recover" => step,
            Family::Copies | Family::Kept => "",
            Family::Reused => reused::steps::halves(step).0,
        }
    }

    /// Runs one write. It can be run twice.
    ///
    /// # Errors
    /// The library's errors, and those that a fail point causes.
    ///
    /// # Panics
    /// If there is no step of this name.
    pub async fn run(self, db: &Database, step: &str) -> Done {
        match self {
            Family::Copies => steps::run(db, step).await,
            Family::Kept => kept::steps::run(db, step).await,
            Family::Reused => reused::steps::run(db, step).await,
        }
    }

    /// Looks at everything, with the driver alone. Nothing may be writing.
    ///
    /// # Errors
    /// The driver's.
    pub async fn audit(self, db: &Database) -> mongodb::error::Result<Audit> {
        match self {
            Family::Copies => oracle::audit(db).await,
            Family::Kept => kept::oracle::audit(db).await,
            Family::Reused => reused::oracle::audit(db).await,
        }
    }

    /// The same as of the time of a snapshot session, whoever is writing.
    ///
    /// # Errors
    /// The driver's.
    ///
    /// # Panics
    /// If the family cannot be looked at while programs write.
    pub async fn audit_at(
        self,
        db: &Database,
        session: &mut ClientSession,
    ) -> mongodb::error::Result<Audit> {
        match self {
            Family::Copies => oracle::audit_at(db, session).await,
            Family::Kept => kept::oracle::audit_at(db, session).await,
            Family::Reused => panic!("no other program writes these"),
        }
    }

    /// How many documents carry a flag.
    ///
    /// # Errors
    /// The driver's.
    pub async fn flagged(self, db: &Database) -> mongodb::error::Result<u64> {
        match self {
            Family::Copies => oracle::flagged(db).await,
            Family::Kept => kept::oracle::flagged(db).await,
            Family::Reused => reused::oracle::flagged(db).await,
        }
    }

    /// Stores the initial documents of a run with killed clients.
    ///
    /// # Errors
    /// The library's.
    pub async fn seed(self, db: &Database) -> Done {
        match self {
            Family::Copies => client::seed(db).await,
            Family::Kept => kept::client::seed(db).await,
            Family::Reused => reused::client::seed(db).await,
        }
    }

    /// One operation of a client.
    ///
    /// # Errors
    /// The library's.
    pub(crate) async fn step(self, db: &Database, mode: Mode, random: &mut Random) -> Done {
        match self {
            Family::Copies => client::step(db, mode, random).await,
            Family::Kept => kept::client::step(db, mode, random).await,
            Family::Reused => reused::client::step(db, mode, random).await,
        }
    }

    /// True if a client may get this error while the other clients run.
    #[must_use]
    pub fn expects(self, error: &mongo_model::Error) -> bool {
        client::expected(error)
            || match self {
                Family::Copies => false,
                Family::Kept => kept::client::expected(error),
                Family::Reused => reused::client::expected(error),
            }
    }

    /// Checks that a write that runs while another one waits does its work, or returns an expected error.
    ///
    /// # Panics
    /// If it says anything else.
    pub fn check(self, step: &str, done: &Done, what: &str) {
        if let Err(error) = done {
            // The other one may have inserted the same, or deleted what this needs.
            let expected = match self {
                Family::Copies => step.starts_with("insert"),
                Family::Kept | Family::Reused => self.expects(error),
            };
            assert!(expected, "{what}: {error:?}");
        }
    }
}
