//! Entries that documents hold until they are in a log: events, and the history. Each entry is stored by the write that it tells of, in the
//! document itself; from there it is copied into the log of the collection, and removed.
//!
//! Each entry has the number of its document that its write has given it. The log stores an entry once, and those of a document in the order
//! of their numbers: whoever sees one sees all before it.

mod call;
mod changes;
mod emitter;
mod log;

use bson::oid::ObjectId;
use bson::{Bson, Document, doc};

pub(crate) use self::call::{call, deliver_behind, deliver_committed};
pub(crate) use self::changes::{between as changes_between, key, undo};
use self::emitter::{Emitter, fields, fields_of_deleted};
use self::log::Log;
use crate::driver::{self, Database, FindArgs, history};
use crate::error::Result;
use crate::schema::outbox::Outbox;

/// The number of parts into which the readers of a log of events divide it.
pub(crate) const PARTS: u32 = 16;

/// The largest number of documents whose entries are delivered together.
const DOCUMENTS: usize = 500;

/// The choice of the documents whose entries a pass delivers, by their `_id` and the tokens of their entries.
pub(crate) type Take<'t> = dyn FnMut(&Bson, &[ObjectId]) -> bool + Send + 't;

/// The documents with entries that are not in the log.
fn undelivered(outbox: Outbox) -> Document {
    doc! { outbox.token(): { "$exists": true } }
}

/// Delivers the entries of the documents that match. Gives the number of documents.
///
/// Sends, per 500 documents, a `find`, a durable `update` that changes nothing and proves what was read, an `update` of the log, and one that
/// removes the entries from the documents.
///
/// # Errors
/// The driver's; [`Error::Refused`](crate::Error::Refused) if the server refuses an entry. What is not delivered stays in its document.
pub(crate) async fn deliver(
    db: &Database,
    collection: &str,
    outbox: Outbox,
    filter: Document,
) -> Result<u64> {
    deliver_chosen(db, collection, outbox, filter, &mut |_, _| true).await
}

/// The same for the documents that `take` chooses.
pub(crate) async fn deliver_chosen(
    db: &Database,
    collection: &str,
    outbox: Outbox,
    filter: Document,
    take: &mut Take<'_>,
) -> Result<u64> {
    let Some(log) = Log::find(db, collection, outbox) else {
        return Ok(0);
    };
    let args = FindArgs {
        projection: Some(fields(collection, outbox)),
        batch_size: u32::try_from(DOCUMENTS).ok(),
        ..FindArgs::default()
    };
    let left = doc! { "$and": [filter, undelivered(outbox)] };
    let mut rows = driver::open(db, collection, left, args, None).await?;
    let mut delivered = 0;
    loop {
        let mut page = Vec::new();
        let mut is_last = false;
        while page.len() < DOCUMENTS && !is_last {
            match rows
                .next(|raw| Ok(Emitter::read(driver::unpack(raw)?, outbox)))
                .await?
            {
                Some(one) => page.extend(one.filter(|one| take(&one.id, &one.tokens()))),
                None => is_last = true,
            }
        }
        fault!("events_after_read");
        let durable = log.prove(page).await?;
        delivered += log.store(durable).await?;
        if is_last {
            return Ok(delivered);
        }
    }
}

/// Delivers the entries that one write has stored in one document. Sends a `findAndModify` that changes nothing, and two `update`s.
///
/// # Errors
/// As [`deliver`].
async fn deliver_one(
    db: &Database,
    collection: &str,
    outbox: Outbox,
    token: ObjectId,
) -> Result<()> {
    let Some(log) = Log::find(db, collection, outbox) else {
        return Ok(());
    };
    let holder = doc! { outbox.token(): token };
    let fields = fields(collection, outbox);
    let found = driver::durable_read_one(db, collection, holder, &fields).await?;
    fault!("events_after_read");
    let emitter = found.and_then(|found| Emitter::read(found, outbox));
    log.store(emitter.into_iter().collect()).await.map(drop)
}

/// The entries of its history that a document holds, as the log stores them, each with its number.
pub(crate) fn undelivered_entries(document: &Document, collection: &str) -> Vec<(i64, Document)> {
    let Some(emitter) = Emitter::read(document.clone(), Outbox::History) else {
        return Vec::new();
    };
    let entries = changes::entries(&emitter, collection).into_iter();
    let entries = entries.map(|entry| {
        let mut value = entry.value;
        value.extend(
            entry
                .at
                .map(|at| (history::entry::AT.to_owned(), at.into())),
        );
        value
    });
    (emitter.before + 1..).zip(entries).collect()
}

/// Stores the last entries of documents that are about to be deleted, with the entries before them: the event that their delete emits, or the
/// end of their history. `token` is that of their tombstones. Sends a durable read and an `update` of the log; nothing if the model has no such
/// log.
///
/// # Errors
/// As [`deliver`].
pub(crate) async fn deliver_last(
    db: &Database,
    (collection, outbox): (&str, Outbox),
    ids: &[Bson],
    token: ObjectId,
) -> Result<()> {
    let Some(log) = Log::find(db, collection, outbox) else {
        return Ok(());
    };
    let fields = fields_of_deleted(collection, outbox);
    let read = driver::durable_read(db, collection, "_id", ids, &fields).await?;
    let ended = read
        .into_iter()
        .filter_map(|document| Emitter::of_deleted(document, token, outbox));
    log.store(ended.collect()).await.map(drop)
}
