//! A program from its start to its end.

use std::fmt;

use tokio::task::JoinHandle;

use crate::builder::{CallOptions, answers};
use crate::driver::Database;
use crate::driver::capabilities::ask;
use crate::error::Result;
use crate::error::server::Feature;
use crate::finisher::{Finishing, settle};
use crate::index::sync_indexes;
use crate::maintenance::sweep::{Sweeper, finish_all};
use crate::maintenance::sweeping::Recovered;
use crate::saga::{COLLECTION, Resumed, has_journal, resume, resume_all};
use crate::tenant::{Confined, Reach, Scope, Wall};

/// Finishes everything that is flagged, of every model linked into the program, and ends the [sagas](crate::saga) of programs that have
/// died: call it when a program starts, or let [`start`] do so. It acts at once, even on work that a live writer is about to finish by
/// itself; doing it twice does no harm.
///
/// An interrupted delete is finished, or undone if a reference might still have refused it. A reference that was stored with copies and
/// whose source does not exist follows its delete rule.
///
/// Per collection that takes part in copies or deletes it reads a small index of flags, which is empty if nothing was
/// interrupted, and one document of `_dn.sagas`, which is missing if the program runs no sagas. Per flagged source it sends one read and
/// the commands of a fan-out, in batches of 500; per flagged document with copies one read of its sources and one update; per saga what
/// [`resume`] sends. Memory does not grow with the number of flags.
///
/// With a [`Tenant`](crate::Tenant) it finishes what is flagged in documents of that tenant, by the same commands with the tenant in the
/// filters that find flags, and leaves sagas and what all tenants share to a pass over the database. A tenant of a type that no model has
/// is [`Error::Impossible`](crate::Error::Impossible).
///
/// # Errors
/// The driver's, [`Error::MissingIndex`](crate::Error::MissingIndex), [`Error::CopyCircle`](crate::Error::CopyCircle). Flags that were not
/// cleared stay. An error of a saga comes after everything else is finished, the other sagas included; its journal stays.
pub fn recover<D: Reach>(db: &D) -> Recover<'_> {
    db.reach(|db| Recover {
        db,
        scope: Scope::default(),
    })
}

/// A pass over all flags and sagas, about to be sent. `.await` gives [`Recovered`].
#[must_use = "nothing is sent before it is awaited"]
pub struct Recover<'a> {
    db: &'a Database,
    scope: Scope,
}

impl Confined for Recover<'_> {
    fn confined(mut self, wall: &Wall) -> Self {
        self.scope = Scope::of_wall(wall);
        self
    }
}

impl fmt::Debug for Recover<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Recover").finish_non_exhaustive()
    }
}

answers!(['a] Recover<'a> => Recovered, self, CallOptions::settled(), {
    self.scope.check()?;
    let mut recovered = finish_all(self.db, &self.scope).await?;
    // A saga may change documents of several tenants.
    if self.scope.is_all() && has_journal(self.db, COLLECTION).await? {
        recovered.sagas = resume_all(self.db, COLLECTION).await?;
    }
    Ok(recovered)
});

/// Makes a database ready for the models that are linked into the program, and keeps it right until [`Running::stop`]: creates and changes
/// indexes ([`sync_indexes`](crate::sync_indexes)), finishes the work that interrupted programs have left ([`recover`]), and starts a
/// [`Sweeper`](crate::Sweeper), which resumes [sagas](crate::Sweeper::sagas) too. Call it once, at the start of the program, on a Tokio
/// runtime.
///
/// Any number of programs may start at once. If a step of the deploy creates the indexes, call `recover` and start a `Sweeper` instead.
///
/// ```no_run
/// # async fn serve(db: &mongo_model::Database) {}
/// # async fn example() -> mongo_model::Result<()> {
/// let db = mongo_model::connect("mongodb://localhost:27017/shop").await?;
/// let running = mongo_model::start(&db).await?;
/// serve(&db).await; // until the program is told to stop
/// running.stop().await;
/// # Ok(()) }
/// ```
///
/// # Errors
/// The errors of `sync_indexes` and `recover`. Their work before the error stays, and a second call continues it.
pub async fn start(db: &Database) -> Result<Running> {
    sync_indexes(db).await?;
    let recovered = finish_all(db, &Scope::default()).await?;
    let (resumed, mut sweeper) = match ask(db).await?.supports(Feature::Sagas) {
        true => (resume(db).await?, Sweeper::new(db).sagas()),
        false => (Resumed::default(), Sweeper::new(db)),
    };
    Ok(Running {
        db: db.clone(),
        recovered,
        resumed,
        sweeper: tokio::spawn(async move {
            sweeper.run().await;
        }),
    })
}

/// A program that was [started](start). When it is dropped, its sweeper ends.
#[must_use = "the sweeper ends when this is dropped"]
pub struct Running {
    db: Database,
    recovered: Recovered,
    resumed: Resumed,
    sweeper: JoinHandle<()>,
}

impl fmt::Debug for Running {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Running").finish_non_exhaustive()
    }
}

impl Running {
    /// The unfinished work of earlier programs, which the start has finished.
    #[must_use]
    pub fn recovered(&self) -> &Recovered {
        &self.recovered
    }

    /// The sagas that an earlier program had left.
    #[must_use]
    pub fn resumed(&self) -> &Resumed {
        &self.resumed
    }

    /// Ends the sweeper and waits for the work that calls have left to do after returning ([`settle`](crate::settle)): call it when
    /// no call is open any more, before the program ends. What it does not wait for stays flagged, so that nothing is lost.
    pub async fn stop(self) -> Finishing {
        self.sweeper.abort();
        settle(&self.db).await
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.sweeper.abort();
    }
}
