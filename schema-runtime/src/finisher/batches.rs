//! Work of one kind on one collection, which is done together.

use std::collections::HashMap;
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use futures::future::BoxFuture;
use tokio::sync::Notify;

use super::{HandleId, Open, handle};
use crate::Database;

/// How many pieces are enough not to wait for others.
const ENOUGH: usize = 16;

/// How many pieces are done at once.
const PIECES: usize = 500;

type Key = (HandleId, &'static str);

/// Pieces of work that wait, by handle and collection. One task does those of each key, one batch after the other.
#[derive(Debug)]
pub(crate) struct Batches<T> {
    /// How long the first piece waits for others.
    linger: Duration,
    waiting: OnceLock<Mutex<HashMap<Key, Waiting<T>>>>,
}

/// The pieces of one key, and how their task learns that there are enough of them.
#[derive(Debug)]
struct Waiting<T> {
    pieces: Vec<(T, Open)>,
    enough: Arc<Notify>,
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

    fn waiting(&self) -> MutexGuard<'_, HashMap<Key, Waiting<T>>> {
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
        if let Some(known) = waiting.get_mut(&key) {
            known.pieces.push((piece, open));
            if known.pieces.len() == ENOUGH {
                known.enough.notify_one();
            }
            return;
        }
        let enough = Arc::new(Notify::new());
        let first = Waiting {
            pieces: vec![(piece, open)],
            enough: Arc::clone(&enough),
        };
        waiting.insert(key, first);
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
                    let linger = pin!(leader.open.linger(time));
                    futures::future::select(linger, pin!(enough.notified())).await;
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
        let pieces = &mut waiting.get_mut(&self.key)?.pieces;
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
