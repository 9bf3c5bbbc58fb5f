//! Work of one kind on one collection, which is done together.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use futures::future::BoxFuture;

use super::{HandleId, Open, handle};
use crate::Database;

/// How many pieces are done at once.
const PIECES: usize = 500;

type Key = (HandleId, &'static str);

/// Pieces of work that wait, by handle and collection. One task does those of each key, one batch after the other.
#[derive(Debug)]
pub(crate) struct Batches<T> {
    /// How long the first piece waits for others.
    linger: Duration,
    waiting: OnceLock<Mutex<HashMap<Key, Vec<(T, Open)>>>>,
}

/// Does a batch.
type Run<T> = fn(Database, &'static str, Vec<T>) -> BoxFuture<'static, ()>;

impl<T: Send + 'static> Batches<T> {
    pub(crate) const fn new(linger: Duration) -> Self {
        Batches {
            linger,
            waiting: OnceLock::new(),
        }
    }

    fn waiting(&self) -> MutexGuard<'_, HashMap<Key, Vec<(T, Open)>>> {
        let waiting = self.waiting.get_or_init(Mutex::default).lock();
        waiting.unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a piece. It is done soon, with the others that come meanwhile.
    pub(crate) fn push(
        &'static self,
        db: &Database,
        collection: &'static str,
        piece: T,
        open: Open,
        run: Run<T>,
    ) {
        let key = (handle(db), collection);
        let mut waiting = self.waiting();
        if let Some(pieces) = waiting.get_mut(&key) {
            pieces.push((piece, open));
            return;
        }
        waiting.insert(key, vec![(piece, open)]);
        drop(waiting);
        let mut leader = Leader {
            batches: self,
            key,
            open: Open::unbounded(db),
            ended: false,
        };
        let db = db.clone();
        let time = self.linger;
        tokio::spawn(async move {
            loop {
                if !time.is_zero() {
                    leader.open.linger(time).await;
                }
                let Some(batch) = leader.take() else {
                    return;
                };
                let (pieces, _open): (Vec<T>, Vec<Open>) = batch.into_iter().unzip();
                run(db.clone(), collection, pieces).await;
            }
        });
    }
}

/// The task that does the work of one key. If it is dropped with its runtime, another one can begin.
struct Leader<T: Send + 'static> {
    batches: &'static Batches<T>,
    key: Key,
    open: Open,
    ended: bool,
}

impl<T: Send + 'static> Leader<T> {
    /// The next batch; without one, no task does the work of this key any more.
    fn take(&mut self) -> Option<Vec<(T, Open)>> {
        let mut waiting = self.batches.waiting();
        let pieces = waiting.get_mut(&self.key)?;
        if pieces.is_empty() {
            waiting.remove(&self.key);
            self.ended = true;
            return None;
        }
        let some = pieces.len().min(PIECES);
        Some(pieces.drain(..some).collect())
    }
}

impl<T: Send + 'static> Drop for Leader<T> {
    fn drop(&mut self) {
        if !self.ended {
            // Pieces that are dropped with it may take the lock themselves.
            let dropped = self.batches.waiting().remove(&self.key);
            drop(dropped);
        }
    }
}
