//! The changes that wait for the task of a collection, and the tickets by which calls report to the task. The task and its calls share
//! them, so that nothing here waits for the server.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use futures::channel::oneshot;
use tokio::sync::Notify;

use super::children::ChangedChildren;
use super::group::{Evidence, Finished};
use crate::finisher::HandleId;
use crate::graph::source::Source;
use crate::propagation::links::ToRefill;

/// An update of a parent for the children of a call.
#[derive(Debug)]
pub(super) struct Applied {
    /// The parent after the update, if it was read.
    pub(super) parent: Option<Arc<Source>>,
    /// The marks and tokens that the update has left, if it may still be undone.
    pub(super) evidence: Option<Arc<Evidence>>,
    /// The call's share in the update.
    pub(super) ticket: Ticket,
    /// The lists that may lack children after the update. The call refills them before it returns.
    pub(super) refill: ToRefill,
}

pub(super) type Key = (HandleId, &'static str);

pub(super) type Call = (ChangedChildren, oneshot::Sender<Applied>);

/// The changes and reports that wait for the task of a collection.
#[derive(Debug, Default)]
pub(super) struct Waiting {
    pub(super) calls: Vec<Call>,
    pub(super) finished: Vec<(u64, Finished)>,
    pub(super) tidied: Vec<(u64, oneshot::Sender<()>)>,
    pub(super) wake: Arc<Notify>,
}

pub(super) fn collections() -> MutexGuard<'static, HashMap<Key, Waiting>> {
    static COLLECTIONS: OnceLock<Mutex<HashMap<Key, Waiting>>> = OnceLock::new();
    let collections = COLLECTIONS.get_or_init(Mutex::default).lock();
    collections.unwrap_or_else(PoisonError::into_inner)
}

/// A call's share in the marks and tokens that an update has left on a parent.
#[derive(Debug)]
pub(crate) struct Ticket {
    key: Key,
    group: u64,
    finished: Finished,
}

impl Ticket {
    /// A share in this group. Without a report, the children of the call count as failed.
    pub(super) fn new(key: Key, group: u64) -> Self {
        Ticket {
            key,
            group,
            finished: Finished::Failed,
        }
    }

    /// Reports whether the children were finished. After that, the marks and tokens of the update may be removed.
    pub(crate) fn finish(mut self, finished: Finished) {
        self.finished = finished;
    }

    /// Reports as [`finish`](Self::finish) does, and waits until the marks and tokens were removed.
    pub(crate) async fn tidy(mut self, finished: Finished) {
        self.finished = finished;
        let (done, tidied) = oneshot::channel();
        if let Some(waiting) = collections().get_mut(&self.key) {
            waiting.tidied.push((self.group, done));
        }
        drop(self);
        // An error means that the task has ended: then a finisher of another program removes the marks and tokens.
        let _ = tidied.await;
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        if let Some(waiting) = collections().get_mut(&self.key) {
            waiting.finished.push((self.group, self.finished));
            waiting.wake.notify_one();
        }
    }
}
