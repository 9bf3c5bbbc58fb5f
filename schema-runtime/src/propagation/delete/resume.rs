//! Deletes that were interrupted, and deletes that another call waits for.

use std::time::Duration;

use bson::oid::ObjectId;
use bson::{Document, doc};
use futures::future::BoxFuture;

use super::NAME;
use super::indexes::open_hinted;
use super::op::DeleteOperation;
use super::plan::Plan;
use super::tomb::{self, State, Tomb};
use crate::driver::{self, Database, FindArgs};
use crate::error::{Error, Result};
use crate::graph::edges::{Edge, Edges};
use crate::graph::relations::Relations;
use crate::outcome::progress::Tell;
use crate::propagation::target::Unverified;
use crate::propagation::{counter, links, target};
use crate::schema::stored;

/// The number of times that a waiting call checks a delete again, at its first attempt. Each wait is twice as long as the one before.
const LOOKS: u32 = 5;
const FIRST: Duration = Duration::from_millis(5);

/// The largest number of tombstones that one query reads.
const TOMBS: i64 = 100;

/// Tombstones in a collection.
async fn tombs(
    db: &Database,
    collection: &'static str,
    filter: Document,
    limit: i64,
    hint: Option<Document>,
) -> Result<Vec<Tomb>> {
    let args = FindArgs {
        projection: Some(tomb::fields()),
        limit: Some(limit),
        hint,
        ..FindArgs::default()
    };
    let mut rows = open_hinted(db, collection, collection, filter, args, None).await?;
    let mut found = Vec::new();
    while let Some(row) = rows.next(|raw| Ok(Document::try_from(raw).ok())).await? {
        found.extend(row.as_ref().and_then(Tomb::read));
    }
    Ok(found)
}

/// The leader of a delete, and its collection.
async fn leader(db: &Database, op: ObjectId) -> Result<Option<(&'static str, Tomb)>> {
    for collection in Relations::get().entombing() {
        let mut filter = tomb::match_entombed(op);
        filter.insert(stored::DELETE, doc! { "$exists": true });
        let found = tombs(db, collection, filter, 1, Some(tomb::index())).await?;
        if let Some(found) = found.into_iter().next() {
            return Ok(Some((collection, found)));
        }
    }
    Ok(None)
}

/// Waits until documents that match `filter`, which requires tombstones, are deleted or live again, and ends the delete if no other program
/// does. Returns whether there were such documents; they may still exist.
pub(crate) async fn help(
    db: &Database,
    collection: &'static str,
    filter: Document,
) -> Result<bool> {
    help_after(db, collection, filter, 0).await
}

/// Waits as [`help`] does, but twice as long with each attempt before: otherwise two deletes of one document that both take longer than the
/// shortest wait would undo each other for ever.
pub(crate) fn help_after<'f>(
    db: &'f Database,
    collection: &'static str,
    filter: Document,
    tries: u32,
) -> BoxFuture<'f, Result<bool>> {
    Box::pin(async move {
        let first = tombs(db, collection, filter.clone(), TOMBS, None).await?;
        if first.is_empty() {
            return Ok(false);
        }
        let mut wait = FIRST;
        let mut last = first;
        for _ in 0..LOOKS + tries {
            tokio::time::sleep(wait).await;
            wait *= 2;
            last = tombs(db, collection, filter.clone(), TOMBS, None).await?;
            if last.is_empty() {
                return Ok(true);
            }
        }
        let mut seen = Vec::new();
        for tomb in last {
            if !seen.contains(&tomb.op) {
                seen.push(tomb.op);
                left_behind(db, collection, &tomb).await?;
            }
        }
        Ok(true)
    })
}

/// Finishes, or undoes, the delete of a tombstone.
async fn left_behind(db: &Database, collection: &'static str, tomb: &Tomb) -> Result<()> {
    if tomb.leads.is_some() {
        return resume(db, collection, tomb).await;
    }
    match leader(db, tomb.op).await? {
        Some((collection, leader)) => resume(db, collection, &leader).await,
        None => release(db, collection, tomb).await,
    }
}

/// Clears a tombstone that has no leader: the delete ended without this document, which has been given another parent meanwhile. Returns
/// whether there is a leader.
pub(crate) async fn has_root(db: &Database, collection: &'static str, tomb: &Tomb) -> Result<bool> {
    if leader(db, tomb.op).await?.is_some() {
        return Ok(true);
    }
    release(db, collection, tomb).await?;
    Ok(false)
}

async fn release(db: &Database, collection: &'static str, tomb: &Tomb) -> Result<()> {
    let this = doc! { "_id": { "$eq": &tomb.id }, stored::TOMBSTONE: tomb.op };
    let mut stays = this.clone();
    stays.insert(stored::LEFT_COUNTS, doc! { "$exists": false });
    let update = doc! { "q": stays, "u": tomb::exhume(collection, tomb.op) };
    let done = driver::statements(db, collection, &[update], true, None).await?;
    if done.matched > 0 {
        return compare_again(db, collection, tomb.op).await;
    }
    // Its parents have been updated already: the delete was certain, and stopped before it reached this document.
    counter::subtract_children(db, collection, &this).await?;
    driver::deletes(db, collection, &[doc! { "q": this, "limit": 1 }], None).await?;
    Ok(())
}

/// Compares documents that are live again with their sources.
pub(crate) async fn compare_again(db: &Database, collection: &str, op: ObjectId) -> Result<()> {
    if Edges::get().incoming(collection).any(Edge::marks) {
        let exhumed = tomb::exhumed(op);
        let mut all = |_: &Unverified| true;
        Box::pin(target::resume(db, collection, exhumed, &mut all)).await?;
    }
    Ok(())
}

/// Finishes, or undoes, the delete of this leader.
pub(crate) fn resume<'f>(
    db: &'f Database,
    collection: &'static str,
    leader: &'f Tomb,
) -> BoxFuture<'f, Result<()>> {
    Box::pin(async move {
        let fields = doc! { "_id": 1, stored::OWN: 1 };
        let id = [leader.id.clone()];
        // The next step depends on this state, so a durable read has to confirm it.
        let read = driver::durable_read(db, collection, "_id", &id, &fields).await?;
        let read = read.first().and_then(Tomb::read);
        let Some((state, _)) = read
            .filter(|now| now.op == leader.op)
            .and_then(|now| now.leads)
        else {
            return Ok(());
        };
        let plan = Plan::plan_delete(collection);
        let mut tell = Tell::default();
        let mut op = DeleteOperation::new(db, &plan, leader.op, &mut tell);
        op.helping = true;
        op.leader = leader.id.clone();
        op.certain = state == State::Commit;
        let done = async {
            match state {
                State::Freeze | State::Undo => op.undo(None).await,
                State::Commit => {
                    op.descend(None).await?;
                    op.follow(None).await?;
                    op.bury().await
                }
            }
        };
        let done = Box::pin(done).await;
        links::refill(db, op.refill).await?;
        match done {
            // Another program finishes or undoes it.
            Err(Error::Unsettled { .. }) => Ok(()),
            done => done,
        }
    })
}

/// Matches the documents with a tombstone in a collection, through the index of flags.
pub(crate) fn entombed() -> Document {
    doc! { stored::PENDING: NAME }
}
