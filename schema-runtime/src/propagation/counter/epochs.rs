//! The epochs of parents that this program has seen, and the tokens that it may take off them.
//!
//! What stands here is never trusted: an epoch that is not that of the parent any more makes a write find nothing, and the parent is
//! read.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use bson::oid::ObjectId;

use super::Parent;
use crate::Database;

/// How many parents are remembered.
const PARENTS: usize = 10_000;

/// How many finished tokens of its own a program leaves on a parent, to take them off in one write: with each removal, writers of
/// other programs have to read the parent again. What is left when a program ends, a sweeper takes off.
const FINISHED: usize = 16;

/// When something was learned, as a number that grows.
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

/// The epoch of a parent as it was known at that moment.
pub(crate) fn known(db: &Database, parent: &Parent, before: Moment) -> Option<Option<ObjectId>> {
    let parents = parents();
    let known = parents.get(&key(db, parent));
    known
        .filter(|known| known.since < before)
        .map(|known| known.epoch)
}

/// Remembers the epoch that a parent has.
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

/// Notes that nothing needs this token on that parent any more; gives the tokens to be taken off, once there are enough.
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
