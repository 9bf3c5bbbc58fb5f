//! A cache of the epochs of parents that this program has seen, and of the tokens that it may remove from them.
//!
//! The cache is never trusted: a write with an outdated epoch matches nothing, and then the parent is read.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use bson::oid::ObjectId;

use super::Parent;
use crate::driver::Database;

/// The capacity of the cache, in parents.
const PARENTS: usize = 10_000;

/// The largest number of parents of one call that are cached: fewer than the capacity, so that the last of them do not replace the first.
pub(crate) const AT_ONCE: usize = 5_000;

/// The number of finished tokens that a program leaves on a parent before it removes them in one write: each removal makes the writers of
/// other programs read the parent again. A sweeper removes the tokens that remain when a program ends.
const FINISHED: usize = 16;

/// The time of an entry, as a number that grows.
pub(crate) type Moment = u64;

static CLOCK: AtomicU64 = AtomicU64::new(1);

pub(crate) fn now() -> Moment {
    CLOCK.fetch_add(1, Ordering::SeqCst)
}

#[derive(Debug)]
struct CachedEpoch {
    epoch: Option<ObjectId>,
    since: Moment,
    finished: Vec<ObjectId>,
}

type Parents = HashMap<(String, Parent), CachedEpoch>;

fn parents() -> MutexGuard<'static, Parents> {
    static PARENTS: OnceLock<Mutex<Parents>> = OnceLock::new();
    let parents = PARENTS.get_or_init(Mutex::default);
    parents.lock().unwrap_or_else(PoisonError::into_inner)
}

fn key(db: &Database, parent: &Parent) -> (String, Parent) {
    (db.name().to_owned(), parent.clone())
}

/// The epoch of a parent as it was cached before that moment.
pub(crate) fn cached_epoch(
    db: &Database,
    parent: &Parent,
    before: Moment,
) -> Option<Option<ObjectId>> {
    let parents = parents();
    let known = parents.get(&key(db, parent));
    known
        .filter(|known| known.since < before)
        .map(|known| known.epoch)
}

/// Caches the epoch of a parent.
pub(crate) fn learn(db: &Database, parent: &Parent, epoch: Option<ObjectId>) {
    let mut parents = parents();
    let since = now();
    if parents.len() >= PARENTS {
        // The cache must not forget tokens that wait to be removed, nor epochs that a call has just read for its children.
        let new = since.saturating_sub(AT_ONCE as Moment);
        parents.retain(|_, known| !known.finished.is_empty() || known.since >= new);
    }
    let known = parents.entry(key(db, parent)).or_insert(CachedEpoch {
        epoch,
        since,
        finished: Vec::new(),
    });
    if known.epoch != epoch {
        known.epoch = epoch;
        known.since = since;
    }
}

/// Caches that this program has started the epoch `to` while `from` still was the epoch: no other program has removed a token since `from`
/// was cached, so that `to` counts as cached at the same time.
pub(crate) fn advance(db: &Database, parent: &Parent, from: Option<ObjectId>, to: ObjectId) {
    if let Some(known) = parents().get_mut(&key(db, parent))
        && known.epoch == from
    {
        known.epoch = Some(to);
    }
}

/// The tokens that the caller can remove from a parent.
#[derive(Debug)]
pub(crate) enum Unneeded {
    /// The caller removes these tokens now.
    Now(Vec<ObjectId>),
    /// The caller waits a little, and then removes the tokens that have gathered.
    Later,
    /// Another caller removes the tokens a little later.
    Waiting,
}

/// Records that nothing needs this token on that parent any more.
pub(crate) fn finished(db: &Database, parent: &Parent, token: ObjectId) -> Unneeded {
    let mut parents = parents();
    let Some(known) = parents.get_mut(&key(db, parent)) else {
        return Unneeded::Now(vec![token]);
    };
    known.finished.push(token);
    match known.finished.len() {
        1 => Unneeded::Later,
        many if many < FINISHED => Unneeded::Waiting,
        _ => Unneeded::Now(std::mem::take(&mut known.finished)),
    }
}

/// Takes the tokens that have gathered on a parent.
pub(crate) fn take_finished(db: &Database, parent: &Parent) -> Vec<ObjectId> {
    let mut parents = parents();
    let known = parents.get_mut(&key(db, parent));
    known.map_or_else(Vec::new, |known| std::mem::take(&mut known.finished))
}
