//! Finds flags and finishes the work that they represent.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::fmt;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::{Duration, Instant};

use bson::oid::ObjectId;
use bson::{Bson, Document, doc};

use crate::bson_util::id_key::IdKey;
use crate::builder::answers;
use crate::driver::attempts::random_below;
use crate::driver::{FindArgs, Strings};
use crate::error::{Error, Result};
use crate::graph::edges::Edges;
use crate::graph::relations::Relations;
use crate::graph::source::Source;
use crate::maintenance::sweeping;
use crate::outcome::{Pending, What};
use crate::propagation::delete::tomb::Tomb;
use crate::propagation::links::verify;
use crate::propagation::target::Unverified;
use crate::propagation::{counter, delete, source, target};
use crate::schema::stored;
use crate::write::send::cascade;
use crate::{Database, driver};

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
    /// Deletes that were finished, or undone because a reference might still have refused them; and soft deletes whose documents below were
    /// marked.
    pub deletes: u64,
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

/// Finishes everything that is flagged, of every model linked into the program: call it when a program starts. It acts at once, even on
/// work that a live writer is about to finish by itself; doing it twice does no harm.
///
/// An interrupted delete is finished, or undone if a reference might still have refused it. A reference that was stored with copies and
/// whose source does not exist follows its delete rule.
///
/// Per collection that takes part in copies or deletes it reads a small index of flags, which is empty if nothing was
/// interrupted. Per flagged source it sends one read and the commands of a fan-out, in batches of 500; per flagged
/// document with copies one read of its sources and one update. Memory does not grow with the number of flags.
///
/// # Errors
/// The driver's, [`Error::MissingIndex`](crate::Error::MissingIndex), [`Error::CopyCircle`](crate::Error::CopyCircle). Flags that were not
/// cleared stay.
pub fn recover(db: &Database) -> Recover<'_> {
    Recover { db }
}

/// A pass over all flags, about to be sent. `.await` gives [`Recovered`].
#[must_use = "nothing is sent before it is awaited"]
pub struct Recover<'a> {
    db: &'a Database,
}

impl fmt::Debug for Recover<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Recover").finish_non_exhaustive()
    }
}

answers!(['a] Recover<'a> => Recovered, self, true, {
    pass(self.db, &mut Everything).await
});

/// The choice of flags that a pass finishes.
trait Choice: Send {
    fn source(&mut self, collection: &str, source: &Source) -> bool;
    fn target(&mut self, collection: &str, document: &Unverified) -> bool;
    fn parent(&mut self, collection: &str, id: &Bson, tokens: &[ObjectId]) -> bool;
    fn tomb(&mut self, collection: &str, tomb: &Tomb) -> bool;
    fn refused(&mut self, collection: &str, id: &Bson);
}

struct Everything;

impl Choice for Everything {
    fn source(&mut self, _: &str, _: &Source) -> bool {
        true
    }
    fn target(&mut self, _: &str, _: &Unverified) -> bool {
        true
    }
    fn parent(&mut self, _: &str, _: &Bson, _: &[ObjectId]) -> bool {
        true
    }
    fn tomb(&mut self, _: &str, _: &Tomb) -> bool {
        true
    }
    fn refused(&mut self, _: &str, _: &Bson) {}
}

/// The documents with a mark, and the sources with a pending edge. Both are what the indexes hold.
fn flagged(field: &str) -> Document {
    doc! { field: { "$exists": true } }
}

async fn pass(db: &Database, choice: &mut dyn Choice) -> Result<Recovered> {
    let edges = Edges::get();
    edges.in_no_circle()?;
    let mut out = Recovered::default();
    let live = || edges.all().iter().filter(|edge| !edge.live.is_empty());
    let compared = edges
        .all()
        .iter()
        .filter(|edge| edge.checked || !edge.live.is_empty());
    let targets: BTreeSet<&'static str> = compared.map(|edge| edge.target.collection).collect();
    let children = edges.links().iter().map(|link| link.child.collection);
    let sources: BTreeSet<&'static str> = live()
        .map(|edge| edge.source.collection)
        .chain(children)
        .collect();
    // Deletes first: a reference to a deleted document then needs no update.
    for collection in Relations::get().entombing() {
        deletes(db, collection, choice, &mut out).await?;
    }
    // New copies next: their corrected values may be copied further.
    for collection in targets {
        let mut take = |document: &Unverified| {
            !document.tokens.is_empty() && choice.target(collection, document)
        };
        let done =
            target::resume(db, collection, flagged(stored::UNVERIFIED_TOKEN), &mut take).await?;
        out.targets += done.finished;
        out.dangling += done.dangling;
        out.applied += done.applied;
        for (id, reason) in done.failed {
            choice.refused(collection, &id);
            out.stuck.push(Pending {
                edge: collection.to_owned(),
                collection: collection.to_owned(),
                what: What::Source(id),
                reason: Some(reason),
            });
        }
    }
    for collection in sources {
        let known = |source: &Source| {
            let mut pending = source.pending.iter();
            !source.deleted && pending.any(|name| edges.knows(collection, name))
        };
        let mut take = |source: &Source| known(source) && choice.source(collection, source);
        let done = source::resume(db, collection, flagged(stored::PENDING), &mut take).await?;
        out.sources += done.finished;
        for stuck in done.pending {
            if let What::Source(id) = &stuck.what {
                choice.refused(collection, id);
            }
            out.stuck.push(stuck);
        }
    }
    for meta in cascade::cascading() {
        let mut take = |source: &Source| choice.source(meta.collection, source);
        let flagged = (cascade::flagged(None), Strings::Exactly);
        match cascade::finish(db, meta, flagged, &mut take).await {
            Ok(finished) => {
                out.deletes += finished.flags;
                out.stuck.extend(finished.pending);
            }
            Err(error @ Error::MissingIndex { .. }) => return Err(error),
            Err(error) => {
                let reason = error.to_string();
                let stuck = Pending::refused(cascade::NAME, meta.collection, Bson::Null, reason);
                out.stuck.push(stuck);
            }
        }
    }
    let counters = || edges.links().iter().filter(|link| link.counts());
    let children: BTreeSet<&'static str> = counters().map(|link| link.child.collection).collect();
    for collection in children {
        let mut take = |(id, tokens): (&Bson, &[ObjectId])| choice.parent(collection, id, tokens);
        let flagged = flagged(stored::UNCOUNTED_TOKEN);
        out.counted += counter::resume(db, collection, flagged, &mut take).await?;
    }
    let hosts: BTreeSet<&'static str> = counters().map(|link| link.host.collection).collect();
    for collection in hosts {
        // A token left behind is not unfinished work, so removing it does not count as work done.
        let mut take = |(id, tokens): (&Bson, &[ObjectId])| choice.parent(collection, id, tokens);
        counter::remove_orphaned_tokens(db, collection, &mut take).await?;
    }
    for link in edges.links() {
        let collection = link.host.collection;
        let mut take = |id: &Bson, tokens: &[ObjectId]| choice.parent(collection, id, tokens);
        out.parents += verify(db, link, &mut take).await?;
    }
    Ok(out)
}

/// Finishes, or undoes, the deletes whose leaders are in this collection, and clears tombstones without a leader.
async fn deletes(
    db: &Database,
    collection: &'static str,
    choice: &mut dyn Choice,
    out: &mut Recovered,
) -> Result<()> {
    let args = FindArgs {
        projection: Some(delete::fields()),
        ..FindArgs::default()
    };
    let mut rows = driver::open(db, collection, delete::entombed(), args, None).await?;
    // Many documents share one leader: look for it once.
    let mut led: HashSet<ObjectId> = HashSet::new();
    while let Some(row) = rows.next(|raw| Ok(Document::try_from(raw).ok())).await? {
        let Some(tomb) = row.as_ref().and_then(Tomb::read) else {
            continue;
        };
        let follows = tomb.leads.is_none() && led.contains(&tomb.op);
        if follows || !choice.tomb(collection, &tomb) {
            continue;
        }
        let done = match tomb.leads {
            Some(_) => delete::resume(db, collection, &tomb).await,
            // If the leader still exists, the pass decides about it when it reaches the leader itself.
            None => delete::has_root(db, collection, &tomb)
                .await
                .map(|there| led.extend(there.then_some(tomb.op))),
        };
        match done {
            Ok(()) => out.deletes += u64::from(tomb.leads.is_some()),
            Err(error @ Error::MissingIndex { .. }) => return Err(error),
            Err(error) => {
                choice.refused(collection, &tomb.id);
                led.insert(tomb.op);
                out.stuck.push(Pending::refused(
                    delete::NAME,
                    collection,
                    tomb.id,
                    error.to_string(),
                ));
            }
        }
    }
    Ok(())
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
#[derive(Debug)]
pub struct Sweeper {
    db: Database,
    every: Duration,
    seen: Seen,
}

/// The flags that the last look saw, as hashes: for each flag the document and its revision or tokens. With each, when it was first seen.
#[derive(Debug, Default)]
struct Seen {
    before: HashMap<u64, Instant>,
    now: HashMap<u64, Instant>,
    /// Looks until a refused document is tried again, and how many it waits the next time.
    resting: HashMap<u64, (u32, u32)>,
}

/// The longest wait of a refused document, in looks, before it is tried again.
const LONGEST_REST: u32 = 64;

impl Sweeper {
    /// Makes a sweeper over all models that are linked into the program, which looks once a second.
    #[must_use]
    pub fn new(db: &Database) -> Self {
        Sweeper {
            db: db.clone(),
            every: Duration::from_secs(1),
            seen: Seen::default(),
        }
    }

    /// Sets the time between two looks; up to a quarter is added at random, so that several sweepers do not look at the
    /// same moment.
    #[must_use]
    pub fn every(mut self, every: Duration) -> Self {
        self.every = every;
        self
    }

    /// One look: finishes the flags that are unchanged since the last one. Sends what [`recover`] sends. [`sweeping`](crate::sweeping)
    /// says how it went.
    ///
    /// # Errors
    /// As [`recover`]. The next look continues where this one stopped.
    pub async fn look(&mut self) -> Result<Recovered> {
        self.seen.before = std::mem::take(&mut self.seen.now);
        self.seen.resting.retain(|_, (wait, _)| {
            *wait = wait.saturating_sub(1);
            true
        });
        let done = pass(&self.db, &mut self.seen).await;
        sweeping::note(&self.db, &done, self.seen.now.values());
        let done = done?;
        if done.stuck.is_empty() {
            self.seen.resting.clear();
        }
        Ok(done)
    }

    /// Looks forever. A look that fails is followed by the next one.
    pub async fn run(&mut self) -> std::convert::Infallible {
        loop {
            // The next look does what this one cannot do now; nothing is lost.
            let _ = self.look().await;
            let jitter = self.every.mul_f64(random_below(1_000) as f64 / 4_000.0);
            tokio::time::sleep(self.every + jitter).await;
        }
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

    fn refused(&mut self, collection: &str, id: &Bson) {
        let rest = self
            .resting
            .entry(hashed((collection, IdKey::new(id))))
            .or_insert((0, 1));
        rest.1 = (rest.1 * 2).min(LONGEST_REST);
        rest.0 = rest.1;
    }
}
