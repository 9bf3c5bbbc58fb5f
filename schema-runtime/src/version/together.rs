//! Swaps many documents with one command, and finds the result of each.

use bson::oid::ObjectId;
use bson::{Bson, Document, RawDocument, RawDocumentBuf, doc};

use super::swap::{has_written, replaced};
use crate::bson_util::id_key::{IdKey, IdMap};
use crate::bson_util::stored_id::{id_in_filter, id_of};
use crate::document::encoding::unencodable;
use crate::driver::{self, Database, FindArgs};
use crate::error::conflict::Conflict;
use crate::error::{Error, Result};
use crate::schema::model::ModelMeta;
use crate::schema::stored;
use crate::schema::version::Version;
use crate::write::send as write;

/// A whole document to store.
#[derive(Debug)]
pub(super) struct Whole {
    /// Matches by the `_id` alone.
    pub(super) filter: Document,
    pub(super) raw: RawDocumentBuf,
    /// The version of the document when it was read.
    pub(super) version: i64,
}

/// The result of one document's write.
#[derive(Debug)]
pub(super) enum Swapping {
    Stored,
    /// Another program changed or deleted the document first.
    Not(Error),
    /// The server refused the write, the document is being deleted, or it refers to other documents than before: it is sent again by
    /// itself, which shows the cause.
    Refused,
    /// The reply is lost, and the document shows no trace of the write.
    Unknown,
}

/// Stores the documents that no other program has changed, in as few commands as possible. If some were not stored, reads them all
/// again. `connected` is true if the model has references that are checked. The error gives the reason why the result of some documents
/// is unknown, or not durable, and ends the call after these documents.
pub(super) async fn together(
    db: &Database,
    meta: &'static ModelMeta,
    connected: bool,
    all: &[Whole],
) -> Result<(Vec<Swapping>, Option<Error>)> {
    let version = Version::of(meta).ok_or_else(|| super::swap::unversioned(meta))?;
    let (mut updates, mut tokens) = (Vec::new(), Vec::new());
    for whole in all {
        let mut q = whole.filter.clone();
        q.extend(version.is(whole.version));
        write::not_deleted(meta, &mut q);
        let document = Document::try_from(whole.raw.as_ref());
        let document = document.map_err(|error| unencodable(meta, error))?;
        if connected {
            let Some(same) = write::same_references(meta, &document) else {
                return Ok((all.iter().map(|_| Swapping::Refused).collect(), None));
            };
            q.extend(same);
        }
        let token = ObjectId::new();
        updates.push(doc! { "q": q, "u": replaced(meta, document, token) });
        tokens.push(token);
    }
    let (failed, lost) = match driver::statements(db, meta.collection, &updates, false, None).await
    {
        Ok(done) if done.matched == all.len() as u64 => {
            return Ok((all.iter().map(|_| Swapping::Stored).collect(), None));
        }
        Ok(done) => (done.failed, None),
        Err(error)
            if driver::outcome_unknown(&error) || matches!(error, Error::NotDurable { .. }) =>
        {
            (Vec::new(), Some(error))
        }
        Err(error) => return Err(error),
    };
    // The reply contains how many were stored, not which.
    let current = match current(db, meta, all).await {
        Ok(current) => current,
        Err(error) => return Err(lost.unwrap_or(error)),
    };
    let became = all
        .iter()
        .zip(tokens)
        .enumerate()
        .map(|(n, (whole, token))| {
            let id = id_in_filter(&whole.filter);
            let found = current.get(&IdKey::new(&id));
            if found.is_some_and(|found| has_written(found, token)) {
                return Swapping::Stored;
            }
            if failed.iter().any(|(at, ..)| *at == n) {
                return Swapping::Refused;
            }
            // A document that is being deleted is sent again by itself, which waits for the delete.
            if lost.is_none() && found.is_some_and(|found| is_entombed(found)) {
                return Swapping::Refused;
            }
            if lost.is_some() {
                return Swapping::Unknown;
            }
            // A document with other references than the stored one is sent again by itself, which checks them.
            if connected && found.is_some() {
                return Swapping::Refused;
            }
            Swapping::Not(match found {
                None => Error::Gone {
                    model: meta.name,
                    id: Box::new(id),
                },
                Some(current) => Conflict::seen(meta, id, whole.version, current.clone()),
            })
        });
    let became: Vec<Swapping> = became.collect();
    let unknown = became.iter().any(|one| matches!(one, Swapping::Unknown));
    let error = lost.filter(|error| unknown || !driver::outcome_unknown(error));
    Ok((became, error))
}

fn is_entombed(document: &RawDocument) -> bool {
    let dn = document.get_document(stored::OWN);
    dn.is_ok_and(|dn| dn.get(stored::key::TOMBSTONE).ok().flatten().is_some())
}

/// Reads the documents from the primary.
async fn current(db: &Database, meta: &ModelMeta, all: &[Whole]) -> Result<IdMap<RawDocumentBuf>> {
    let ids: Vec<Bson> = all
        .iter()
        .map(|whole| id_in_filter(&whole.filter))
        .collect();
    let args = FindArgs {
        // More than there are, so that the first batch is the last.
        batch_size: u32::try_from(all.len() + 1).ok(),
        ..FindArgs::default()
    };
    let filter = doc! { "_id": { "$in": ids } };
    let mut rows = driver::open(db, meta.collection, filter, args, None).await?;
    let own = |raw: &RawDocument| Ok(raw.to_owned());
    let mut out = IdMap::default();
    while let Some(raw) = rows.next(own).await? {
        out.insert(IdKey::new(&id_of(&raw)), raw);
    }
    Ok(out)
}
