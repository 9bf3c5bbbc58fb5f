//! Finds flags and finishes the work that they represent.

mod pass;

use std::collections::HashMap;
use std::fmt;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::{Duration, Instant};

use bson::Bson;
use bson::oid::ObjectId;
use futures::future::BoxFuture;

use self::pass::{Choice, Everything, finish_flags};
use crate::bson_util::id_key::IdKey;
use crate::driver::Database;
use crate::driver::attempts::random_below;
use crate::error::Result;
use crate::graph::source::Source;
use crate::maintenance::sweeping::{self, Recovered};
use crate::propagation::delete::tomb::Tomb;
use crate::propagation::target::{Moving, Unverified};
use crate::tenant::Scope;

/// Finishes everything that is flagged in the documents of a scope, at once, of every model linked into the program.
pub(crate) async fn finish_all(db: &Database, scope: &Scope) -> Result<Recovered> {
    finish_flags(db, scope, &mut Everything).await
}

/// Finishes what writers have left flagged, again and again: any number of programs may run one.
///
/// A flag is acted on when two looks in a row have seen it unchanged: a live writer finishes its own work in between, and no clocks are
/// compared. Work that the server refuses is tried again after 2, 4, 8, .. up to 64 looks.
///
/// ```no_run
/// # async fn example(db: mongo_model::Database) -> mongo_model::Result<()> {
/// let mut sweeper = mongo_model::Sweeper::new(&db);
/// tokio::spawn(async move { sweeper.run().await });
/// # Ok(())
/// # }
/// ```
pub struct Sweeper {
    db: Database,
    every: Duration,
    seen: Seen,
    /// Other work of each look, with the collection that it is about.
    also: Vec<(AlsoDo, String)>,
}

/// Does other work on a collection, and gives the number of pieces that were finished.
pub(crate) type AlsoDo = for<'d> fn(&'d Database, &'d str) -> BoxFuture<'d, Result<u64>>;

/// The flags that the last look saw, as hashes: for each flag the document and its revision or tokens. Each has the time of its first look.
#[derive(Debug, Default)]
struct Seen {
    before: HashMap<u64, Instant>,
    now: HashMap<u64, Instant>,
    /// For a refused document: the number of looks until it is tried again, and the number that it waits the next time.
    resting: HashMap<u64, (u32, u32)>,
}

/// The longest wait of a refused document, in looks, before it is tried again.
const LONGEST_REST: u32 = 64;

impl fmt::Debug for Sweeper {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sweeper")
            .field("database", &self.db.name())
            .field("every", &self.every)
            .finish_non_exhaustive()
    }
}

/// The largest number of times that the time to the next look is doubled.
const LONGEST_PAUSE: u32 = 4;

impl Sweeper {
    /// Makes a sweeper over all models that are linked into the program, which looks once a second.
    #[must_use]
    pub fn new(db: &Database) -> Self {
        Sweeper {
            db: db.clone(),
            every: Duration::from_secs(1),
            seen: Seen::default(),
            also: Vec::new(),
        }
    }

    /// Adds work that each look does after the flags.
    pub(crate) fn also(mut self, work: AlsoDo, collection: String) -> Self {
        self.also.push((work, collection));
        self
    }

    /// Sets the time between two looks; up to a quarter is added at random, so that several sweepers do not look at the
    /// same moment.
    #[must_use]
    pub fn every(mut self, every: Duration) -> Self {
        self.every = every;
        self
    }

    /// Looks once: finishes the flags that are unchanged since the last look. Sends what [`recover`](crate::recover) sends.
    /// [`sweeping`](crate::sweeping) reports the result.
    ///
    /// # Errors
    /// As [`recover`](crate::recover), and the first error of a saga. The next look continues where this one stopped.
    pub async fn sweep(&mut self) -> Result<Recovered> {
        self.seen.before = std::mem::take(&mut self.seen.now);
        self.seen.resting.retain(|_, (wait, _)| {
            *wait = wait.saturating_sub(1);
            true
        });
        let mut done = finish_flags(&self.db, &Scope::default(), &mut self.seen).await;
        for (work, collection) in &self.also {
            match (work(&self.db, collection).await, &mut done) {
                (Ok(ended), Ok(done)) => done.sagas += ended,
                (Err(error), Ok(_)) => done = Err(error),
                (_, Err(_)) => {}
            }
        }
        sweeping::note(&self.db, &done, self.seen.now.values());
        let done = done?;
        if done.stuck.is_empty() {
            self.seen.resting.clear();
        }
        Ok(done)
    }

    /// Looks forever. A look that fails is followed by the next one, after 2, 4, 8 and at most 16 times the usual time: a server that is
    /// overloaded or cannot be reached is left in peace.
    pub async fn run(&mut self) -> std::convert::Infallible {
        let mut failures = 0;
        loop {
            // The next look does what this one cannot do now; nothing is lost.
            failures = match self.sweep().await {
                Ok(_) => 0,
                Err(_) => failures + 1,
            };
            tokio::time::sleep(self.pause(failures)).await;
        }
    }

    /// The time to the next look, after so many failed looks in a row.
    fn pause(&self, failures: u32) -> Duration {
        let every = self.every * (1 << failures.min(LONGEST_PAUSE));
        every + every.mul_f64(random_below(1_000) as f64 / 4_000.0)
    }
}

fn hashed(parts: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    parts.hash(&mut hasher);
    hasher.finish()
}

impl Seen {
    /// True if the flag is unchanged since the last look, and its document is not waiting after a refusal.
    fn old_enough(&mut self, document: u64, flag: u64) -> bool {
        let first = self.before.get(&flag).copied();
        self.now.insert(flag, first.unwrap_or_else(Instant::now));
        first.is_some()
            && self
                .resting
                .get(&document)
                .is_none_or(|(wait, _)| *wait == 0)
    }
}

impl Choice for Seen {
    fn source(&mut self, collection: &str, source: &Source) -> bool {
        let document = (collection, IdKey::new(&source.id));
        let flag = hashed((&document, source.revision()));
        self.old_enough(hashed(document), flag)
    }

    fn tomb(&mut self, collection: &str, tomb: &Tomb) -> bool {
        let document = hashed((collection, IdKey::new(&tomb.id)));
        let beats = tomb.leads.map(|(state, beats)| (state.name(), beats));
        let flag = hashed((document, tomb.op.bytes(), beats));
        self.old_enough(document, flag)
    }

    fn target(&mut self, collection: &str, document: &Unverified) -> bool {
        let flag = hashed((collection, IdKey::new(&document.id), &document.tokens));
        self.old_enough(hashed((collection, IdKey::new(&document.id))), flag)
    }

    fn parent(&mut self, collection: &str, id: &Bson, tokens: &[ObjectId]) -> bool {
        let flag = hashed((collection, IdKey::new(id), tokens));
        self.old_enough(hashed((collection, IdKey::new(id))), flag)
    }

    fn moving(&mut self, collection: &str, moving: &Moving) -> bool {
        let flag = hashed((collection, moving.revision, moving.done));
        self.old_enough(hashed(collection), flag)
    }

    fn refused(&mut self, collection: &str, id: &Bson) {
        let rest = self
            .resting
            .entry(hashed((collection, IdKey::new(id))))
            .or_insert((0, 1));
        rest.1 = (rest.1 * 2).min(LONGEST_REST);
        rest.0 = rest.1;
    }
}
