//! Work that goes on after a call has returned.
//!
//! A write that other documents depend on sets flags, changes the other documents, and removes the flags. The caller needs the first two;
//! the rest changes nothing that a reader sees. So the rest is handed to tasks that all calls on a [`Database`] share:
//! one command handles the work of the last milliseconds. A program that ends before they have run leaves flags, whose
//! work [`recover`](crate::recover) finishes: no work is known only to a task here.
//!
//! A handle and its clones share their tasks. Separate handles, such as those from a `client.database(..)` in each
//! call, do not.

mod batches;

use std::collections::HashMap;
use std::future::Future;
use std::pin::pin;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};

pub(crate) use self::batches::{Batches, gather};
use crate::driver::Database;
use crate::error::Result;

/// The largest number of documents that may wait on one handle. A call that brings more waits until there is room.
const CAPACITY: u32 = 4_096;

static IN_CALLS: AtomicBool = AtomicBool::new(false);

tokio::task_local! {
    static BEHIND: bool;
}

/// Makes every write of this process wait for all of its work, as if each call ended in `.settled()`; `false` takes that back.
///
/// For programs that stop, or are frozen, as soon as they have an answer: command-line tools, serverless functions.
pub fn settle_in_calls(on: bool) {
    IN_CALLS.store(on, Ordering::SeqCst);
}

/// True if every call waits for all of its work.
pub(crate) fn settles_in_calls() -> bool {
    IN_CALLS.load(Ordering::SeqCst)
}

/// True if the present call answers before its flags are removed.
pub(crate) fn is_behind() -> bool {
    !settles_in_calls() && BEHIND.try_with(|behind| *behind).unwrap_or(false)
}

/// Runs a call of the user. The call may answer before its flags are removed, unless it is `settled`, or a part of a settled call.
pub(crate) async fn call<T>(settled: bool, call: impl Future<Output = T>) -> T {
    let outer = BEHIND.try_with(|behind| *behind).unwrap_or(true);
    BEHIND.scope(outer && !settled, call).await
}

/// The work that one handle and its clones do after their calls have answered.
#[derive(Debug)]
pub(crate) struct Work {
    database: String,
    open: AtomicUsize,
    room: Arc<Semaphore>,
    /// The number of callers that wait until everything is done: while there are any, nothing waits for a larger batch.
    hurried: AtomicUsize,
    hurry: Notify,
    idle: Notify,
}

/// Identifies a handle: its clones share the client at this address. A piece of work holds a clone, so that the address is not used again
/// while the work is open.
pub(crate) type HandleId = usize;

pub(crate) fn handle(db: &Database) -> HandleId {
    std::ptr::from_ref(db.client()).addr()
}

fn works() -> MutexGuard<'static, HashMap<HandleId, Arc<Work>>> {
    static WORKS: OnceLock<Mutex<HashMap<HandleId, Arc<Work>>>> = OnceLock::new();
    let works = WORKS.get_or_init(Mutex::default).lock();
    works.unwrap_or_else(PoisonError::into_inner)
}

#[derive(Debug, Clone, Default)]
struct Totals {
    finished: u64,
    failed: u64,
    error: Option<String>,
}

fn totals() -> MutexGuard<'static, HashMap<String, Totals>> {
    static TOTALS: OnceLock<Mutex<HashMap<String, Totals>>> = OnceLock::new();
    let totals = TOTALS.get_or_init(Mutex::default).lock();
    totals.unwrap_or_else(PoisonError::into_inner)
}

/// A piece of work that is counted as open until it is done or dropped.
#[derive(Debug)]
pub(crate) struct Open {
    db: Database,
    work: Arc<Work>,
    _room: Option<OwnedSemaphorePermit>,
}

impl Open {
    /// Takes places for a piece of work on that many documents, or all places if there are fewer. Waits until these are free.
    pub(crate) async fn reserve(db: &Database, documents: usize) -> Open {
        let mut open = Open::unbounded(db);
        let places = u32::try_from(documents).map_or(CAPACITY, |places| places.clamp(1, CAPACITY));
        // The semaphore is never closed.
        open._room = Arc::clone(&open.work.room)
            .acquire_many_owned(places)
            .await
            .ok();
        open
    }

    /// Counts a piece of work as open without taking places: something else limits the number of such pieces.
    pub(crate) fn unbounded(db: &Database) -> Open {
        let mut works = works();
        let work = works.entry(handle(db)).or_insert_with(|| {
            Arc::new(Work {
                database: db.name().to_owned(),
                open: AtomicUsize::new(0),
                room: Arc::new(Semaphore::new(CAPACITY as usize)),
                hurried: AtomicUsize::new(0),
                hurry: Notify::new(),
                idle: Notify::new(),
            })
        });
        work.open.fetch_add(1, Ordering::SeqCst);
        Open {
            db: db.clone(),
            work: Arc::clone(work),
            _room: None,
        }
    }

    /// Waits for more work of the same kind. Ends at once if a caller waits for all work to be done.
    pub(crate) async fn linger(&self, time: Duration) {
        let mut hurry = pin!(self.work.hurry.notified());
        hurry.as_mut().enable();
        if self.work.hurried.load(Ordering::SeqCst) == 0 {
            let _ = tokio::time::timeout(time, hurry).await;
        }
    }

    pub(crate) fn work(&self) -> &Arc<Work> {
        &self.work
    }
}

impl Work {
    pub(crate) fn is_hurried(&self) -> bool {
        self.hurried.load(Ordering::SeqCst) > 0
    }

    pub(crate) fn hurry(&self) -> &Notify {
        &self.hurry
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        let mut works = works();
        if self.work.open.fetch_sub(1, Ordering::SeqCst) == 1 {
            works.remove(&handle(&self.db));
            self.work.idle.notify_waiters();
        }
    }
}

/// Counts a piece of work as done. If it failed, `recover` finds the flags that it has left.
pub(crate) fn done<T>(db: &Database, result: &Result<T>) {
    match result {
        Ok(_) => totals().entry(db.name().to_owned()).or_default().finished += 1,
        Err(error) => failed(db, error.to_string()),
    }
}

/// Counts a piece of work as failed.
pub(crate) fn failed(db: &Database, reason: String) {
    let mut totals = totals();
    let totals = totals.entry(db.name().to_owned()).or_default();
    totals.failed += 1;
    totals.error = Some(reason);
}

/// Does `work` after the present call has answered; within the call if it waits for all of its work.
///
/// # Errors
/// Those of the work, if the call waits for it.
pub(crate) async fn defer(
    db: &Database,
    work: impl Future<Output = Result<()>> + Send + 'static,
) -> Result<()> {
    if !is_behind() {
        return work.await;
    }
    let open = Open::reserve(db, 1).await;
    tokio::spawn(async move {
        let result = work.await;
        done(&open.db, &result);
    });
    Ok(())
}

/// Does `work` after the present call has answered. `work` gives the reason why something stays flagged, if it does.
pub(crate) async fn later(
    db: &Database,
    work: impl Future<Output = Result<Option<String>>> + Send + 'static,
) {
    let open = Open::reserve(db, 1).await;
    tokio::spawn(async move {
        match work.await {
            Ok(Some(reason)) => failed(&open.db, reason),
            result => done(&open.db, &result),
        }
    });
}

/// The work that calls on a database have left to do after returning, in this process.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Finishing {
    /// Pieces of work that are not done yet. One handle and its clones have pieces on at most 4,096 documents, or of one larger call.
    pub open: usize,
    /// Pieces of work done since the program started.
    pub finished: u64,
    /// Pieces of work that failed. They stay flagged: [`recover`](crate::recover) or a [`Sweeper`](crate::Sweeper)
    /// finishes them.
    pub failed: u64,
    /// The reason why the last of them failed.
    pub error: Option<String>,
}

/// Returns how much work calls on the database of this name have left to do after returning. Sends nothing.
#[must_use]
pub fn finishing(db: &Database) -> Finishing {
    let works = works();
    let ours = works.values().filter(|work| work.database == db.name());
    let open = ours.map(|work| work.open.load(Ordering::SeqCst)).sum();
    drop(works);
    let totals = totals().get(db.name()).cloned().unwrap_or_default();
    Finishing {
        open,
        finished: totals.finished,
        failed: totals.failed,
        error: totals.error,
    }
}

/// Waits until the work that calls on the database of this name have left to do after returning is done, and returns
/// how that went.
///
/// Call it before a program ends: otherwise the flags of its last writes stay until [`recover`](crate::recover) or a
/// [`Sweeper`](crate::Sweeper) of another program finds them. Sends nothing itself.
pub async fn settle(db: &Database) -> Finishing {
    loop {
        let work = {
            let works = works();
            let mut ours = works.values().filter(|work| work.database == db.name());
            ours.next().cloned()
        };
        let Some(work) = work else {
            return finishing(db);
        };
        let mut idle = pin!(work.idle.notified());
        idle.as_mut().enable();
        let _hurry = Hurry::announce(&work);
        if work.open.load(Ordering::SeqCst) > 0 {
            idle.await;
        }
    }
}

/// A caller that waits until all work is done.
struct Hurry<'w>(&'w Work);

impl<'w> Hurry<'w> {
    fn announce(work: &'w Work) -> Self {
        work.hurried.fetch_add(1, Ordering::SeqCst);
        work.hurry.notify_waiters();
        Hurry(work)
    }
}

impl Drop for Hurry<'_> {
    fn drop(&mut self) {
        self.0.hurried.fetch_sub(1, Ordering::SeqCst);
    }
}
