//! The server's refusals of updates of copies.

use bson::{Document, doc};

use super::SOURCES;
use crate::driver::command::Statements;
use crate::driver::{self, Database, FindArgs};
use crate::error::{Error, Result};
use crate::graph::edges::Edge;

/// Checks that the index that a scan has to use exists.
pub(crate) fn check_index(edge: &Edge, done: &Statements) -> Result<()> {
    let hint =
        |(_, code, message): &(usize, i32, String)| *code == 2 && message.contains("hint provided");
    if !done.failed.iter().any(hint) {
        return Ok(());
    }
    Err(Error::MissingIndex {
        reference: edge.name.clone(),
        collection: edge.target.collection,
        keys: edge.hint().to_string(),
    })
}

/// Checks that the server refused nothing that was sent along an edge.
pub(crate) fn check_accepted(edge: &Edge, done: &Statements) -> Result<()> {
    match done.failed.first() {
        None => Ok(()),
        Some((_, code, message)) => Err(Error::Refused {
            reference: edge.name.clone(),
            code: *code,
            message: message.clone(),
        }),
    }
}

/// Updates documents one by one after an update of many has stopped at the first document that the server refused: the document would
/// exceed 16 MiB, or a validator or a unique index refused it. So one such document does not leave all others stale. Returns the updates
/// that failed.
pub(super) async fn update_one_by_one(
    db: &Database,
    edge: &Edge,
    updates: &[Document],
    stopped: Vec<(usize, i32, String)>,
) -> Result<Vec<(usize, i32, String)>> {
    let mut failed = Vec::new();
    for (n, ..) in stopped {
        let update = &updates[n];
        let filter = update.get_document("q").cloned().unwrap_or_default();
        let args = FindArgs {
            projection: Some(doc! { "_id": 1 }),
            hint: Some(edge.hint()),
            ..FindArgs::default()
        };
        let mut rows = driver::open(db, edge.target.collection, filter.clone(), args, None).await?;
        let mut refused = None;
        let mut more = true;
        while more {
            let mut each = Vec::new();
            while each.len() < SOURCES {
                let id = rows.next(|raw| Ok(Document::try_from(raw).ok())).await?;
                let Some(id) = id else {
                    more = false;
                    break;
                };
                if let Some(id) = id.and_then(|mut row| row.remove("_id")) {
                    let mut one = update.clone();
                    let mut q = doc! { "_id": { "$eq": id } };
                    q.extend(filter.clone());
                    one.insert("q", q);
                    one.insert("multi", false);
                    one.remove("hint");
                    each.push(one);
                }
            }
            let done = driver::statements(db, edge.target.collection, &each, false, None).await?;
            if let Some((_, code, message)) = done.failed.into_iter().next() {
                refused.get_or_insert((n, code, message));
            }
        }
        // The server refused nothing this time: the reason that stopped the update no longer exists.
        failed.extend(refused);
    }
    Ok(failed)
}
