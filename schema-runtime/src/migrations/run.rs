//! Runs the migrations that a database has not seen, and undoes one.

use std::fmt;
use std::pin::pin;
use std::sync::atomic::AtomicUsize;
use std::time::Duration;

use futures::future::{Either, select};

use super::ledger::{Claim, Ledger, MigrationState, WalkPosition};
use super::needs::NeededIndex;
use super::step::{Step, StepFunction, linked};
use super::{Listener, Migration, MigrationProgress, order};
use crate::builder::awaits;
use crate::driver::Database;
use crate::error::{Error, Result};
use crate::lock::{Lock, LockLease};
use crate::schema::stored;

/// The lease of the lock under which migrations run.
const LEASE: Duration = Duration::from_secs(30);

/// Runs the [migrations](crate::migrations) that are linked into the program and that the database has not seen, in their order. Any
/// number of programs may call it at once: each migration runs once, and every call returns after all of them are done.
///
/// Sends one `find`; if all are done, nothing more. Otherwise what [`Lock::acquire`] sends, one `find`, per migration two `findAndModify` (the
/// lock, the ledger), per index that it needs one `listIndexes` and, where it is missing, one `createIndexes`, the commands of its function and one `update` of the ledger, and one `findAndModify` that releases the lock. Every
/// write of the ledger is durable: on the journal of a majority of the servers.
///
/// ```no_run
/// # async fn example(db: &mongo_model::Database) -> mongo_model::Result<()> {
/// let done = mongo_model::migrate_all(db).await?;
/// println!("ran {:?}", done.ran);
/// # Ok(()) }
/// ```
///
/// # Errors
/// [`Error::MigrationOrder`] if the migrations have no order (nothing was sent); [`Error::MigrationsAhead`] and [`Error::NewerLedger`] if a newer
/// program has migrated the database (nothing was changed); [`Error::MigrationFailed`] with the error of a migration: those before it are done,
/// and the next call continues it; [`Error::LeaseLost`] if another program has continued; [`Error::Impossible`] if a migration is half undone. The
/// driver's.
pub fn migrate_all(db: &Database) -> MigrateAll<'_> {
    MigrateAll {
        db,
        allow_ahead: false,
        listener: None,
    }
}

/// A run of all migrations, about to be made. `.await` gives [`RanMigrations`].
#[must_use = "nothing is sent before it is awaited"]
pub struct MigrateAll<'a> {
    db: &'a Database,
    allow_ahead: bool,
    listener: Option<Listener>,
}

impl fmt::Debug for MigrateAll<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MigrateAll")
            .field("allow_ahead", &self.allow_ahead)
            .finish_non_exhaustive()
    }
}

impl MigrateAll<'_> {
    /// Also runs if the database has run migrations that are not linked into this program.
    pub fn allow_ahead(mut self) -> Self {
        self.allow_ahead = true;
        self
    }

    /// Calls the function when a migration begins, and after each batch of its walks. With the feature `tracing` each is also an event of the
    /// target `mongo_model::migrations`, with the fields `migration` and `documents`.
    pub fn progress(
        mut self,
        listener: impl Fn(&MigrationProgress) + Send + Sync + 'static,
    ) -> Self {
        self.listener = Some(std::sync::Arc::new(listener));
        self
    }
}

/// The result of [`migrate_all`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct RanMigrations {
    /// The migrations that this call has run, in order. Those that another program has run meanwhile are not among them.
    pub ran: Vec<&'static str>,
}

awaits!(['a] MigrateAll<'a> => RanMigrations, self {
    let steps = order::sorted(linked())?;
    if pending(&self, &steps).await?.is_empty() {
        return Ok(RanMigrations::default());
    }
    let mut lease = lock().acquire(self.db, LEASE).await?;
    let ran = run_pending(&self, &steps, &mut lease).await;
    // A lock that is not released is free when its lease ends.
    lease.release(self.db).await.ok();
    ran
});

fn lock() -> Lock {
    Lock::new(stored::MIGRATIONS)
}

/// The migrations that have to run.
async fn pending<'s>(all: &MigrateAll<'_>, steps: &[&'s Step]) -> Result<Vec<&'s Step>> {
    let ledger = Ledger::read(all.db).await?;
    let names = ledger.names_ahead(steps);
    if !names.is_empty() && !all.allow_ahead {
        return Err(Error::MigrationsAhead { names });
    }
    let state_of = |step: &&Step| ledger.state(step.name);
    if let Some(step) = steps
        .iter()
        .find(|step| state_of(step) == MigrationState::Undoing)
    {
        return Err(Error::Impossible {
            what: format!(
                "to run migrations while `{}` is half undone: undo it once more",
                step.name
            ),
        });
    }
    let left = steps
        .iter()
        .filter(|step| state_of(step) != MigrationState::Done);
    Ok(left.copied().collect())
}

async fn run_pending(
    all: &MigrateAll<'_>,
    steps: &[&'static Step],
    lease: &mut LockLease,
) -> Result<RanMigrations> {
    let mut out = RanMigrations::default();
    for step in pending(all, steps).await? {
        lease.extend(all.db, LEASE).await?;
        let claim = Claim {
            db: all.db.clone(),
            name: step.name,
            token: lease.token(),
        };
        // The program that had the lock before has recorded it as done after this one has read the ledger.
        let Some(walks) = claim.run(&step.program()).await? else {
            continue;
        };
        let done = call(
            step.run,
            step.needs,
            &claim,
            walks,
            all.listener.clone(),
            lease,
        )
        .await;
        end(&claim, MigrationState::Failed, done).await?;
        claim.finish().await?;
        out.ran.push(step.name);
    }
    Ok(out)
}

/// Builds the indexes that a migration needs, and calls its function, while the lock is held.
async fn call(
    function: StepFunction,
    needs: &[NeededIndex],
    claim: &Claim,
    walks: Vec<WalkPosition>,
    listener: Option<Listener>,
    lease: &mut LockLease,
) -> Result<()> {
    let migration = Migration {
        claim: claim.clone(),
        walks,
        begun: AtomicUsize::new(0),
        listener,
    };
    migration.report(0);
    let lost = pin!(hold(lease, &claim.db));
    let work = pin!(async {
        for index in needs {
            index.build(&claim.db).await?;
        }
        function(&migration).await
    });
    match select(work, lost).await {
        Either::Left((done, _)) => done,
        Either::Right((lost, _)) => Err(lost),
    }
}

/// Extends the lease until another program has the lock. The ledger refuses the writes of a program that could not extend it in time.
async fn hold(lease: &mut LockLease, db: &Database) -> Error {
    loop {
        tokio::time::sleep(LEASE / 3).await;
        if let Err(lost @ Error::LeaseLost { .. }) = lease.extend(db, LEASE).await {
            return lost;
        }
    }
}

/// Records the error of a function.
async fn end(claim: &Claim, state: MigrationState, done: Result<()>) -> Result<()> {
    match done {
        Ok(()) => Ok(()),
        Err(lost @ Error::LeaseLost { .. }) => Err(lost),
        Err(error) => {
            claim.fail(state, &error).await?;
            Err(Error::MigrationFailed {
                name: claim.name,
                source: Box::new(error),
            })
        }
    }
}

/// Undoes the migration of this name by its `undo`, as [`migrate_all`] runs one: under the same lock, with stored positions, and an undo that was
/// interrupted continues. The next [`migrate_all`] runs the migration again.
///
/// Sends what [`Lock::acquire`] sends, one `find`, one `findAndModify` for the ledger, the commands of the function, one `update` of the ledger, and one
/// `findAndModify` that releases the lock. Every write of the ledger is durable.
///
/// # Errors
/// [`Error::Impossible`] if the program has no migration of this name, if it has no `undo`, if it is not done, and if one that comes after it is not
/// undone (nothing was changed); [`Error::MigrationFailed`] with the error of the function; [`Error::MigrationOrder`], [`Error::NewerLedger`] and
/// [`Error::LeaseLost`] as [`migrate_all`]. The driver's.
pub async fn undo_migration(db: &Database, name: &str) -> Result<()> {
    let steps = order::sorted(linked())?;
    let refused = |why: &str| Error::Impossible {
        what: format!("an undo of the migration `{name}`: {why}"),
    };
    let step = steps.iter().find(|step| step.name == name);
    let step = step.ok_or_else(|| refused("the program has none of this name"))?;
    let undo = step.undo.ok_or_else(|| refused("it declares no `undo`"))?;
    let mut lease = lock().acquire(db, LEASE).await?;
    let undone = async {
        let ledger = Ledger::read(db).await?;
        let is_above = |other: &&&Step| {
            other.after.contains(&step.name) && ledger.state(other.name) != MigrationState::Pending
        };
        if let Some(above) = steps.iter().find(is_above) {
            return Err(refused(&format!(
                "`{}` comes after it, and is not undone",
                above.name
            )));
        }
        let claim = Claim {
            db: db.clone(),
            name: step.name,
            token: lease.token(),
        };
        let walks = claim.undo(&step.program()).await?;
        let walks = walks.ok_or_else(|| refused("it is not done"))?;
        let done = call(undo, &[], &claim, walks, None, &mut lease).await;
        end(&claim, MigrationState::Undoing, done).await?;
        claim.finish_undo().await
    }
    .await;
    lease.release(db).await.ok();
    undone
}
