//! The two halves of the test: copies, and derived data of parents. They share everything but their models.

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

    /// Stores the initial documents of `step`, all of them correct; if it is a recovery, with flags.
    ///
    /// # Errors
    /// The library's.
    pub async fn prepare(self, db: &Database, step: &str) -> Done {
        match self {
            Family::Copies => {
                steps::prepare(db).await?;
                if step == "recover" {
                    steps::leave_flags(db).await?;
                }
                Ok(())
            }
            Family::Kept => kept::steps::prepare(db).await,
            Family::Reused => reused::steps::prepare(db, step).await,
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
