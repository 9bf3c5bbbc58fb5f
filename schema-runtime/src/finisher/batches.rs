//! Batches of work: pieces of the same kind on one collection are done together.

use std::collections::HashMap;
use std::hash::Hash;
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use futures::future::BoxFuture;
use tokio::sync::Notify;

use super::{HandleId, Open, handle};
use crate::driver::Database;

/// The number of waiting pieces that starts a batch without further waiting.
const ENOUGH: usize = 48;

/// The largest number of pieces in a batch.
const PIECES: usize = 500;

/// Pieces of work that wait, by handle and key: a collection, unless another key is given. A task does the pieces of one key together.
#[derive(Debug)]
pub(crate) struct Batches<T, K = &'static str> {
    /// The time that the first piece waits for others.
    linger: Duration,
    /// The largest number of batches of one key that are done at once.
    at_once: usize,
    waiting: OnceLock<Mutex<WaitingByKey<T, K>>>,
}

/// The pieces of one key, and the tasks that do them.
#[derive(Debug)]
struct Waiting<T> {
    pieces: Vec<(T, Open)>,
    /// Tells the task that gathers pieces that there are enough of them.
    enough: Arc<Notify>,
    /// True if a task gathers pieces for its next batch.
    is_gathering: bool,
    /// The number of tasks of this key.
    tasks: usize,
}

type WaitingByKey<T, K> = HashMap<(HandleId, K), Waiting<T>>;

/// The function that does a batch.
type Run<T, K> = fn(Database, K, Vec<T>) -> BoxFuture<'static, ()>;

/// The key of a batch.
pub(crate) trait BatchKey: Clone + Eq + Hash + Send + Sync + 'static {}

impl<K: Clone + Eq + Hash + Send + Sync + 'static> BatchKey for K {}

impl<T: Send + 'static, K: BatchKey> Batches<T, K> {
    pub(crate) const fn new(linger: Duration, at_once: usize) -> Self {
        Batches {
            linger,
            at_once,
            waiting: OnceLock::new(),
        }
    }

    fn waiting(&self) -> MutexGuard<'_, WaitingByKey<T, K>> {
        let waiting = self.waiting.get_or_init(Mutex::default).lock();
        waiting.unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a piece. A task does it soon, together with other pieces that come meanwhile.
    pub(crate) fn push(&'static self, db: &Database, key: K, piece: T, open: Open, run: Run<T, K>) {
        let key = (handle(db), key);
        let mut waiting = self.waiting();
        let known = waiting.entry(key.clone()).or_insert_with(|| Waiting {
            pieces: Vec::new(),
            enough: Arc::default(),
            is_gathering: false,
            tasks: 0,
        });
        known.pieces.push((piece, open));
        if known.is_gathering || known.tasks == self.at_once {
            if known.pieces.len() == ENOUGH {
                known.enough.notify_one();
            }
            return;
        }
        known.is_gathering = true;
        known.tasks += 1;
        let leader = Leader {
            batches: self,
            key,
            open: Open::unbounded(db),
            is_gathering: true,
            ended: false,
        };
        drop(waiting);
        let db = db.clone();
        tokio::spawn(leader.run(db, run));
    }
}

/// Waits as long as other tasks add pieces. One reply wakes many tasks, which go on one after the other: without this wait, the piece of
/// the first would be sent alone. A runtime may wake the last task that has yielded first, so one round is not enough.
pub(crate) async fn gather(waiting: impl Fn() -> usize) {
    let (mut before, mut quiet) = (waiting(), 0);
    while quiet < 2 {
        tokio::task::yield_now().await;
        let now = waiting();
        quiet = if now == before { quiet + 1 } else { 0 };
        before = now;
    }
}

/// A task that does the work of one key. If its runtime ends and drops it, another task can begin.
struct Leader<T: Send + 'static, K: BatchKey> {
    batches: &'static Batches<T, K>,
    key: (HandleId, K),
    open: Open,
    is_gathering: bool,
    ended: bool,
}

impl<T: Send + 'static, K: BatchKey> Leader<T, K> {
    async fn run(mut self, db: Database, run: Run<T, K>) {
        while self.is_gathering {
            self.gather().await;
            let (pieces, _open): (Vec<T>, Vec<Open>) = self.take().into_iter().unzip();
            run(db.clone(), self.key.1.clone(), pieces).await;
            self.go_on();
        }
    }

    /// Waits for more pieces of the key.
    async fn gather(&mut self) {
        let time = self.batches.linger;
        if time.is_zero() {
            return gather(|| self.waiting()).await;
        }
        let enough = {
            let waiting = self.batches.waiting();
            waiting
                .get(&self.key)
                .map(|known| Arc::clone(&known.enough))
        };
        let Some(enough) = enough else { return };
        let linger = pin!(self.open.linger(time));
        futures::future::select(linger, pin!(enough.notified())).await;
    }

    /// The number of pieces of the key that wait.
    fn waiting(&self) -> usize {
        let waiting = self.batches.waiting();
        waiting.get(&self.key).map_or(0, |known| known.pieces.len())
    }

    /// Takes the pieces of the next batch. Another task may gather pieces from now on.
    fn take(&mut self) -> Vec<(T, Open)> {
        self.is_gathering = false;
        let mut waiting = self.batches.waiting();
        let Some(known) = waiting.get_mut(&self.key) else {
            return Vec::new();
        };
        known.is_gathering = false;
        let some = known.pieces.len().min(PIECES);
        known.pieces.drain(..some).collect()
    }

    /// Gathers pieces again if some wait and no other task gathers them; otherwise ends the task.
    fn go_on(&mut self) {
        let mut waiting = self.batches.waiting();
        let Some(known) = waiting.get_mut(&self.key) else {
            self.ended = true;
            return;
        };
        if !known.is_gathering && !known.pieces.is_empty() {
            known.is_gathering = true;
            self.is_gathering = true;
            return;
        }
        self.ended = true;
        known.tasks -= 1;
        if known.tasks == 0 {
            waiting.remove(&self.key);
        }
    }
}

impl<T: Send + 'static, K: BatchKey> Drop for Leader<T, K> {
    fn drop(&mut self) {
        if self.ended {
            return;
        }
        let mut waiting = self.batches.waiting();
        let Some(known) = waiting.get_mut(&self.key) else {
            return;
        };
        known.tasks -= 1;
        known.is_gathering &= !self.is_gathering;
        // Without a task, the pieces that still wait are dropped: their runtime has ended.
        let dropped = match known.tasks {
            0 => waiting.remove(&self.key),
            _ => None,
        };
        drop(waiting);
        // The drop of a piece may take the lock itself.
        drop(dropped);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use futures::channel::oneshot;

    use super::*;

    /// The sizes of the batches, the number of batches that run now, and the largest number that ran at once.
    static SIZES: Mutex<Vec<usize>> = Mutex::new(Vec::new());
    static RUNNING: AtomicUsize = AtomicUsize::new(0);
    static AT_ONCE: AtomicUsize = AtomicUsize::new(0);

    fn done(
        _: Database,
        _: &'static str,
        pieces: Vec<oneshot::Sender<()>>,
    ) -> BoxFuture<'static, ()> {
        Box::pin(async move {
            let running = RUNNING.fetch_add(1, Ordering::SeqCst) + 1;
            AT_ONCE.fetch_max(running, Ordering::SeqCst);
            SIZES
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .push(pieces.len());
            for _ in 0..4 {
                tokio::task::yield_now().await;
            }
            RUNNING.fetch_sub(1, Ordering::SeqCst);
            for piece in pieces {
                let _ = piece.send(());
            }
        })
    }

    async fn database() -> Database {
        let client = mongodb::Client::with_uri_str("mongodb://127.0.0.1:1").await;
        client.expect("nothing is sent to it").database("batches")
    }

    async fn push(batches: &'static Batches<oneshot::Sender<()>>, db: &Database) {
        let (piece, reply) = oneshot::channel();
        batches.push(db, "pieces", piece, Open::unbounded(db), done);
        reply.await.expect("each piece is done");
    }

    #[test]
    fn pieces_of_tasks_that_can_run_are_one_batch_and_none_is_lost() {
        static BATCHES: Batches<oneshot::Sender<()>> = Batches::new(Duration::ZERO, 2);
        let one = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build();
        one.expect("a runtime").block_on(async {
            let db = database().await;
            let tasks = (0..32).map(|n| {
                let db = db.clone();
                tokio::spawn(async move {
                    if n > 0 {
                        tokio::task::yield_now().await;
                    }
                    push(&BATCHES, &db).await;
                })
            });
            futures::future::join_all(tasks).await;
        });
        let sizes = std::mem::take(&mut *SIZES.lock().unwrap_or_else(PoisonError::into_inner));
        assert_eq!(sizes, [32], "one command for all of them");

        let many = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(4)
            .enable_all()
            .build();
        many.expect("a runtime").block_on(async {
            let db = database().await;
            let tasks = (0..64).map(|_| {
                let db = db.clone();
                tokio::spawn(async move {
                    for _ in 0..100 {
                        push(&BATCHES, &db).await;
                    }
                })
            });
            for task in futures::future::join_all(tasks).await {
                task.expect("no piece is lost");
            }
        });
        let sizes = std::mem::take(&mut *SIZES.lock().unwrap_or_else(PoisonError::into_inner));
        assert_eq!(sizes.iter().sum::<usize>(), 6_400, "each piece once");
        assert!(AT_ONCE.load(Ordering::SeqCst) <= 2, "at most two at once");
    }
}
