//! The changes that the present call has recorded in histories, so that they are delivered when it ends.

use std::future::Future;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bson::oid::ObjectId;
use mongodb::Database;

tokio::task_local! {
    static RECORDS: Records;
}

/// A change that is recorded in documents of a collection.
#[derive(Debug)]
pub(crate) struct RecordedChange {
    pub(crate) db: Database,
    pub(crate) collection: &'static str,
    /// The token of the entries.
    pub(crate) token: ObjectId,
    /// True if there may be several documents.
    pub(crate) many: bool,
    /// True if the change is part of a transaction.
    pub(crate) in_session: bool,
}

/// A call, and who makes it.
#[derive(Debug)]
pub(crate) struct Caller {
    /// The type of the builder.
    pub(crate) builder: &'static str,
    /// The actor that the handle of the call names.
    pub(crate) actor: Option<Arc<str>>,
}

/// The changes that a call has recorded.
#[derive(Debug)]
struct Records {
    caller: Caller,
    changes: Mutex<Vec<RecordedChange>>,
}

impl Records {
    fn changes(&self) -> MutexGuard<'_, Vec<RecordedChange>> {
        self.changes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Runs a call that may record changes. A call inside of another one is a part of that.
pub(crate) async fn scope<T>(caller: Caller, call: impl Future<Output = T>) -> T {
    if RECORDS.try_with(|_| ()).is_ok() {
        return call.await;
    }
    let changes = Mutex::default();
    RECORDS.scope(Records { caller, changes }, call).await
}

/// The type of the builder of the present call.
pub(crate) fn builder() -> Option<&'static str> {
    RECORDS.try_with(|records| records.caller.builder).ok()
}

/// The actor that the handle of the present call names.
pub(crate) fn actor() -> Option<Arc<str>> {
    let actor = RECORDS.try_with(|records| records.caller.actor.clone());
    actor.ok().flatten()
}

/// Notes a recorded change. Outside of a call nothing delivers it before a sweeper, or a reader of the history.
pub(crate) fn note(change: RecordedChange) {
    let _ = RECORDS.try_with(|records| records.changes().push(change));
}

/// Takes the changes of the present call that are part of a transaction, or those that are not.
pub(crate) fn take(in_session: bool) -> Vec<RecordedChange> {
    let taken = RECORDS.try_with(|records| {
        let mut changes = records.changes();
        let all = std::mem::take(&mut *changes);
        let (taken, left) = all
            .into_iter()
            .partition(|one| one.in_session == in_session);
        *changes = left;
        taken
    });
    taken.unwrap_or_default()
}
