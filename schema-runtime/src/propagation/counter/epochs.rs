//! A cache of the epochs of parents that this program has seen, and of the tokens that it may remove from them.
//!
//! The cache is never trusted: a write with an outdated epoch matches nothing, and then the parent is read.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use bson::oid::ObjectId;

use super::Parent;
use crate::Database;

/// The capacity of the cache, in parents.
const PARENTS: usize = 10_000;

/// How many finished tokens of its own a program leaves on a parent before it removes them in one write: each removal makes the writers of
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
pub(crate) fn known(db: &Database, parent: &Parent, before: Moment) -> Option<Option<ObjectId>> {
    let parents = parents();
    let known = parents.get(&key(db, parent));
    known
        .filter(|known| known.since < before)
        .map(|known| known.epoch)
}

/// Caches the epoch of a parent.
pub(crate) fn learn(db: &Database, parent: &Parent, epoch: Option<ObjectId>) {
    let mut parents = parents();
    if parents.len() >= PARENTS {
        parents.clear();
    }
    let since = now();
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

/// Records that nothing needs this token on that parent any more; returns the tokens to be removed, once there are enough.
pub(crate) fn finished(db: &Database, parent: &Parent, token: ObjectId) -> Vec<ObjectId> {
    match parents().get_mut(&key(db, parent)) {
        None => vec![token],
        Some(known) => {
            known.finished.push(token);
            if known.finished.len() < FINISHED {
                return Vec::new();
            }
            std::mem::take(&mut known.finished)
        }
    }
}
