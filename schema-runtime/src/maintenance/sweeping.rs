//! The result of a pass over the flags, and the state of the sweepers of this process, as data.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use crate::driver::Database;
use crate::error::Result;
use crate::outcome::Pending;

/// The ages that flags are counted by.
const AGES: [Duration; 6] = [
    Duration::ZERO,
    Duration::from_secs(1),
    Duration::from_secs(10),
    Duration::from_secs(60),
    Duration::from_secs(600),
    Duration::from_secs(3_600),
];

/// The result of a pass over the flags.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct Recovered {
    /// Changed sources whose copies were brought up to date.
    pub sources: u64,
    /// Documents with new copies that were compared with their sources.
    pub targets: u64,
    /// Documents whose two-way references or last-N lists were compared with what refers to them.
    pub parents: u64,
    /// Flags of documents whose parents have counted them now.
    pub counted: u64,
    /// References, in documents with new copies, to missing sources whose delete rule refuses or keeps; `verify` reports them in full. If
    /// it refuses, the document stays marked, and every pass checks it again: a source that is stored under that key later is copied to
    /// it.
    pub dangling: u64,
    /// References to missing sources that their delete rule removed, or whose documents it deleted.
    pub applied: u64,
    /// Sagas that were completed or undone, by a [`Sweeper`](crate::Sweeper) that [resumes](crate::Sweeper::sagas) them.
    pub sagas: u64,
    /// Deletes that were finished, or undone because a reference might still have refused them; and soft deletes whose documents below were
    /// marked.
    pub deletes: u64,
    /// Moves of documents in trees that were finished.
    pub moves: u64,
    /// Documents whose events were delivered to their readers, or whose history got its entries.
    pub events: u64,
    /// Erases of persons that were finished.
    pub erases: u64,
    /// The work that the server refused; it stays flagged.
    pub stuck: Vec<Pending>,
}

impl Recovered {
    /// True if there was nothing to do: references that still lead nowhere, as before, do not count.
    #[must_use]
    pub fn is_idle(&self) -> bool {
        let nothing = Recovered {
            dangling: self.dangling,
            ..Recovered::default()
        };
        *self == nothing
    }
}

/// The state of the sweepers of this process on a database.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Sweeping {
    /// The number of looks since the program started.
    pub looks: u64,
    /// The number of looks that failed.
    pub failed: u64,
    /// The error of the last look that failed.
    pub error: Option<String>,
    /// The number of flags that the last look saw unchanged for at least this long, as far as the sweeper has seen: for 0, 1 and 10 s, for
    /// 1 and 10 min, and for 1 h. The first number is that of all flags. Most flags are those of writers that are under way.
    pub flags: Vec<(Duration, u64)>,
    /// The time since the oldest of these flags was first seen.
    pub oldest: Option<Duration>,
    /// The number of pieces of work that the server refused in the last look.
    pub stuck: u64,
    /// Sources, documents with new copies, parents, counts, deletes, sagas, moves and erases that were finished since the program started.
    pub finished: u64,
}

fn all() -> MutexGuard<'static, HashMap<String, Sweeping>> {
    static ALL: OnceLock<Mutex<HashMap<String, Sweeping>>> = OnceLock::new();
    let all = ALL.get_or_init(Mutex::default).lock();
    all.unwrap_or_else(PoisonError::into_inner)
}

/// The state of the [`Sweeper`](crate::Sweeper)s of this process on the database of this name; the last look is that of any of them.
/// Sends nothing.
///
/// ```no_run
/// # fn example(db: &mongo_model::Database) {
/// let sweeping = mongo_model::sweeping(db);
/// if sweeping.oldest.is_some_and(|age| age.as_secs() > 300) {
///     eprintln!("{} pieces of work are stuck: {:?}", sweeping.stuck, sweeping.flags);
/// }
/// # }
/// ```
#[must_use]
pub fn sweeping(db: &Database) -> Sweeping {
    all().get(db.name()).cloned().unwrap_or_default()
}

/// Records a look, with the times at which the flags that it saw were first seen.
pub(super) fn note<'f>(
    db: &Database,
    done: &Result<Recovered>,
    seen: impl Iterator<Item = &'f Instant>,
) {
    let mut ages: Vec<Duration> = seen.map(Instant::elapsed).collect();
    ages.sort_unstable();
    let mut all = all();
    let sweeping = all.entry(db.name().to_owned()).or_default();
    sweeping.looks += 1;
    sweeping.flags = AGES
        .map(|age| {
            (
                age,
                (ages.len() - ages.partition_point(|seen| *seen < age)) as u64,
            )
        })
        .to_vec();
    sweeping.oldest = ages.last().copied();
    match done {
        Ok(done) => {
            let Recovered {
                sources,
                targets,
                parents,
                counted,
                deletes,
                sagas,
                moves,
                erases,
                stuck,
                ..
            } = done;
            sweeping.finished +=
                sources + targets + parents + counted + deletes + sagas + moves + erases;
            sweeping.stuck = stuck.len() as u64;
        }
        Err(error) => {
            sweeping.failed += 1;
            sweeping.error = Some(error.to_string());
        }
    }
}
