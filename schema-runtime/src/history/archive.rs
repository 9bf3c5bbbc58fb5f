//! Moves old entries of a history to another database, and back.

use bson::{Bson, DateTime, Document, doc};

use crate::bson_util::number::integer;
use crate::driver::{self, Database, FindArgs, Reads};
use crate::error::{Error, Result};
use crate::schema::history::KeepsHistory;

/// The largest number of documents whose entries are moved together.
const DOCUMENTS: usize = 100;

/// The largest number of entries that are stored by one command.
const ENTRIES: usize = 500;

/// Moves the entries of a model's history that are older than `before` to another database, which may be on another cluster: the entries of
/// each document up to its last one before that time. Gives their number. The way back is the same call with the databases exchanged, and
/// `DateTime::MAX`.
///
/// An earlier state of a document can be read back to its oldest entry in the database of the document. Entries are stored durably in the
/// other database, in a collection of the same name, before they are deleted; a call that ends in between leaves them in both, and the next one
/// goes on.
///
/// ```no_run
/// # use bson::DateTime;
/// # use mongo_model::{Database, Id, MongoModel, Result};
/// # use serde::{Deserialize, Serialize};
/// # #[derive(Serialize, Deserialize, MongoModel)]
/// # #[model(collection = "contracts", history)]
/// # pub struct Contract { #[serde(rename = "_id")] pub id: Id<Contract>, pub price: i64 }
/// # async fn example(db: &Database, cold: &Database, year_ago: DateTime) -> Result<()> {
/// use mongo_model::history::archive;
///
/// archive::<Contract>(db, cold, year_ago).await?;
/// // All of them back.
/// archive::<Contract>(cold, db, DateTime::MAX).await?;
/// # Ok(()) }
/// ```
///
/// Sends an `aggregate` that reads all entries, and per 100 documents a `find`, an `update` per 500 entries and a `delete`, all served by the
/// index of `_id`.
///
/// # Errors
/// The driver's; [`Error::Refused`] if a server refuses an entry.
pub async fn archive<M: KeepsHistory>(
    from: &Database,
    to: &Database,
    before: DateTime,
) -> Result<u64> {
    let Some(history) = M::model_meta().history else {
        return Ok(0);
    };
    let last = doc! { "_id": "$_id.d", "r": { "$max": "$_id.r" } };
    let pipeline = vec![
        doc! { "$match": { "at": { "$lt": before } } },
        doc! { "$group": last },
    ];
    let batch = u32::try_from(DOCUMENTS).ok();
    let log = Some(history.log);
    let opened = driver::open_aggregate(from, log, pipeline, batch, Reads::FromPrimary, None);
    let mut rows = Box::pin(opened).await?;
    let mut moved = 0;
    loop {
        let mut ranges = Vec::new();
        while ranges.len() < DOCUMENTS {
            match rows.next(driver::unpack).await? {
                Some(row) => ranges.push(range(&row)),
                None if ranges.is_empty() => return Ok(moved),
                None => break,
            }
        }
        moved += move_ranges((from, to), history.log, &ranges).await?;
    }
}

/// The filter of the entries of one document up to the last one that is moved.
fn range(row: &Document) -> Document {
    let id = row.get("_id").unwrap_or(&Bson::Null);
    let last = integer(row.get("r")).unwrap_or(i64::MIN);
    doc! { "_id": { "$gte": { "d": id, "r": Bson::MinKey }, "$lte": { "d": id, "r": last } } }
}

/// Stores the entries of several documents in the other database, and deletes them.
async fn move_ranges(
    (from, to): (&Database, &Database),
    log: &'static str,
    ranges: &[Document],
) -> Result<u64> {
    let filter = doc! { "$or": ranges.to_vec() };
    let args = FindArgs {
        batch_size: u32::try_from(ENTRIES).ok(),
        ..FindArgs::default()
    };
    let mut rows = driver::open(from, log, filter, args, None).await?;
    let (mut page, mut moved) = (Vec::new(), 0);
    loop {
        let entry = rows.next(driver::unpack).await?;
        let is_last = entry.is_none();
        page.extend(entry.map(store));
        if page.len() == ENTRIES || is_last && !page.is_empty() {
            let stored = driver::statements(to, log, &page, false, None).await?;
            if let Some((_, code, message)) = stored.failed.into_iter().next() {
                let reference = log.to_owned();
                return Err(Error::Refused {
                    reference,
                    code,
                    message,
                });
            }
            moved += page.len() as u64;
            page.clear();
        }
        if is_last {
            break;
        }
    }
    let deletes = ranges.iter().map(|range| doc! { "q": range, "limit": 0 });
    let deletes: Vec<Document> = deletes.collect();
    driver::deletes(from, log, &deletes, None).await?;
    Ok(moved)
}

/// The statement that stores an entry, unless it is there.
fn store(mut entry: Document) -> Document {
    let id = entry.remove("_id").unwrap_or(Bson::Null);
    doc! { "q": { "_id": { "$eq": id } }, "u": { "$setOnInsert": entry }, "upsert": true }
}
