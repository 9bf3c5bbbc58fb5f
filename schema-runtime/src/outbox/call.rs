//! Calls, whose entries are delivered behind their answers.

use std::future::Future;
use std::time::Duration;

use bson::doc;
use bson::oid::ObjectId;
use futures::future::BoxFuture;

use super::{deliver, deliver_one};
use crate::driver::Database;
use crate::error::Result;
use crate::finisher::{self, Batches, Open};
use crate::outcome::recorded::{self, Caller, RecordedChange};
use crate::schema::outbox::Outbox;

/// The token of the entries of one write.
#[derive(Debug, Clone, Copy)]
struct WriteToken {
    token: ObjectId,
    /// True if several documents may hold one.
    many: bool,
}

static DELIVERIES: Batches<WriteToken, (&'static str, Outbox)> =
    Batches::new(Duration::from_millis(5), 1);

/// Runs a call of the user, which may answer before its flags are removed; see [`finisher::call`]. The changes that it
/// records in histories are delivered behind its answer.
pub(crate) async fn call<T>(caller: Caller, settled: bool, call: impl Future<Output = T>) -> T {
    let recording = async {
        let answer = call.await;
        for change in recorded::take(false) {
            // The entries that a fault leaves stay in the documents.
            let _ = deliver_recorded(change).await;
        }
        answer
    };
    recorded::scope(caller, finisher::call(settled, recording)).await
}

/// Delivers a change. If that fails, the entries stay in the documents, where a sweeper and readers of the history find them.
async fn deliver_recorded(change: RecordedChange) -> Result<()> {
    let RecordedChange {
        db,
        collection,
        token,
        many,
        ..
    } = change;
    let write = WriteToken { token, many };
    fault!("events_after_write");
    if finisher::is_behind() {
        push(&db, (collection, Outbox::History), write).await;
    } else {
        Box::pin(run(db, (collection, Outbox::History), vec![write])).await;
    }
    Ok(())
}

async fn push(db: &Database, key: (&'static str, Outbox), write: WriteToken) {
    let open = Open::reserve(db, 1).await;
    DELIVERIES.push(db, key, write, open, run);
}

/// Delivers the events of one write behind the answer of the present call; in the call if that waits for everything.
pub(crate) async fn deliver_behind(
    db: &Database,
    collection: &'static str,
    (token, many): (ObjectId, bool),
) -> Result<()> {
    let (key, write) = ((collection, Outbox::Events), WriteToken { token, many });
    if finisher::is_behind() {
        push(db, key, write).await;
        return Ok(());
    }
    deliver_all(db, key, &[write]).await
}

/// Delivers the entries of a transaction after its commit, behind the answer unless every call waits for all of its work: no reader is told of
/// them any sooner by a caller that waits.
pub(crate) async fn deliver_committed(
    db: &Database,
    collection: &'static str,
    outbox: Outbox,
    token: ObjectId,
) -> Result<()> {
    let write = WriteToken { token, many: true };
    if !finisher::settles_in_calls() {
        push(db, (collection, outbox), write).await;
        return Ok(());
    }
    deliver_all(db, (collection, outbox), &[write]).await
}

/// Delivers the entries of several writes.
fn run(db: Database, key: (&'static str, Outbox), all: Vec<WriteToken>) -> BoxFuture<'static, ()> {
    Box::pin(async move {
        let delivered = deliver_all(&db, key, &all).await;
        finisher::done(&db, &delivered);
    })
}

async fn deliver_all(
    db: &Database,
    (collection, outbox): (&'static str, Outbox),
    all: &[WriteToken],
) -> Result<()> {
    if let [WriteToken { token, many: false }] = all {
        return deliver_one(db, collection, outbox, *token).await;
    }
    let tokens: Vec<ObjectId> = all.iter().map(|one| one.token).collect();
    let holders = doc! { outbox.token(): { "$in": tokens } };
    deliver(db, collection, outbox, holders).await.map(drop)
}
