//! Delivers events: copies them from the documents that have emitted them into the log of their collection, and removes them there.
//!
//! Each event has the number of its document that the write of the event has given it. The log stores an event once, and those of a document
//! in the order of their numbers: whoever sees one sees all before it.

use bson::oid::ObjectId;
use bson::{Bson, Document, doc};

use crate::bson_util::number::integer;
use crate::driver::{self, Database, FindArgs};
use crate::error::{Error, Result};
use crate::graph::flags::far_revision;
use crate::index_spec::definition::fnv;
use crate::schema::events::EventsRow;
use crate::schema::registry;
use crate::schema::stored;
use crate::schema::tenant::tenant_field;

/// The number of parts into which the readers of a log divide it.
pub(crate) const PARTS: u32 = 16;

/// The largest number of documents whose events are delivered together.
const DOCUMENTS: usize = 500;

/// The largest number of times that the events of a page are stored because some of them get other numbers.
const ROUNDS: usize = 4;

/// The number of the server's error for a second document with an `_id`.
const DUPLICATE: i32 = 11_000;

/// The choice of the documents whose events a pass delivers, by their `_id` and the tokens of their events.
pub(crate) type Take<'t> = dyn FnMut(&Bson, &[ObjectId]) -> bool + Send + 't;

/// The documents with events that are not in the log.
pub(crate) fn undelivered() -> Document {
    doc! { stored::EVENTS_LEFT_TOKEN: { "$exists": true } }
}

/// The row of the events of a collection.
pub(crate) fn row_of(collection: &str) -> Option<EventsRow> {
    let models = registry::models();
    let mut rows = models.iter().filter(|model| model.collection == collection);
    rows.find_map(|model| model.events)
}

/// The events of new documents, which emit these at once. Their numbers are greater than those of a document with the same `_id` before.
pub(crate) fn of_new(emitted: &[Bson]) -> Document {
    let count = i64::try_from(emitted.len()).unwrap_or(i64::MAX);
    let mut events = doc! { stored::key::EVENT_NUMBER: far_revision().saturating_add(count) };
    if !emitted.is_empty() {
        events.insert(stored::key::EVENTS_LEFT, emitted.to_vec());
    }
    events
}

/// Delivers the events of the documents that match. Gives the number of documents.
///
/// Sends, per 500 documents, a `find`, a durable `update` that changes nothing and proves what was read, an `update` of the log, and one that
/// removes the events from the documents.
///
/// # Errors
/// The driver's; [`Error::Refused`] if the server refuses an event. What is not delivered stays in its document.
pub(crate) async fn deliver(db: &Database, collection: &str, filter: Document) -> Result<u64> {
    deliver_chosen(db, collection, filter, &mut |_, _| true).await
}

/// The same for the documents that `take` chooses.
pub(crate) async fn deliver_chosen(
    db: &Database,
    collection: &str,
    filter: Document,
    take: &mut Take<'_>,
) -> Result<u64> {
    let Some(row) = row_of(collection) else {
        return Ok(0);
    };
    let args = FindArgs {
        projection: Some(fields(collection)),
        batch_size: u32::try_from(DOCUMENTS).ok(),
        ..FindArgs::default()
    };
    let left = doc! { "$and": [filter, undelivered()] };
    let mut rows = driver::open(db, collection, left, args, None).await?;
    let log = Log {
        db,
        collection,
        row,
    };
    let mut delivered = 0;
    loop {
        let mut page = Vec::new();
        let mut is_last = false;
        while page.len() < DOCUMENTS && !is_last {
            match rows
                .next(|raw| Ok(Emitted::read(driver::unpack(raw)?)))
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

/// Delivers the events that one write has emitted from one document. Sends a `findAndModify` that changes nothing, and two `update`s.
///
/// # Errors
/// As [`deliver`].
pub(crate) async fn deliver_one(db: &Database, collection: &str, token: ObjectId) -> Result<()> {
    let Some(row) = row_of(collection) else {
        return Ok(());
    };
    let emitter = doc! { stored::EVENTS_LEFT_TOKEN: token };
    let found = driver::durable_read_one(db, collection, emitter, &fields(collection)).await?;
    fault!("events_after_read");
    let emitted = found.and_then(Emitted::read);
    let log = Log {
        db,
        collection,
        row,
    };
    log.store(emitted.into_iter().collect()).await.map(drop)
}

/// The fields that say what a document has emitted.
fn fields(collection: &str) -> Document {
    let models = registry::models();
    let mut walled = models.iter().filter(|model| model.collection == collection);
    let tenant = walled.find_map(|model| tenant_field(model));
    let mut fields = doc! { "_id": 1, stored::EVENTS: 1 };
    fields.extend(tenant.map(|field| (field.to_owned(), 1.into())));
    fields
}

/// A document with events that are not in the log.
#[derive(Debug)]
struct Emitted {
    id: Bson,
    /// The number of the event before the first of these.
    before: i64,
    /// The events, each with its token, oldest first.
    events: Vec<(ObjectId, Bson)>,
    /// The field of the tenant, in a walled model.
    tenant: Document,
}

impl Emitted {
    fn read(mut document: Document) -> Option<Self> {
        let own = document.remove(stored::OWN)?;
        let events = own.as_document()?.get_document(stored::key::EVENTS).ok()?;
        let number = integer(events.get(stored::key::EVENT_NUMBER))?;
        let left = events.get_array(stored::key::EVENTS_LEFT).ok()?.iter();
        let left = left.filter_map(Bson::as_document).filter_map(|one| {
            let token = one.get_object_id(stored::TOKEN).ok()?;
            Some((token, one.get(stored::key::EVENTS_LEFT_VALUE)?.clone()))
        });
        let events: Vec<(ObjectId, Bson)> = left.collect();
        Some(Emitted {
            id: document.remove("_id")?,
            before: number - i64::try_from(events.len()).ok()?,
            events,
            tenant: document,
        })
    }

    fn tokens(&self) -> Vec<ObjectId> {
        self.events.iter().map(|(token, _)| *token).collect()
    }

    /// The statement that changes nothing, and matches only if the document still begins with these events under these numbers.
    fn proof(&self) -> Document {
        let left = doc! { "$ifNull": [stored::value::EVENTS_LEFT, []] };
        let before = doc! { "$subtract": [stored::value::EVENT_NUMBER, { "$size": &left }] };
        let first = doc! { "$slice": [format!("{}.{}", stored::value::EVENTS_LEFT, stored::TOKEN), self.events.len() as i64] };
        let same = doc! { "$and": [
            { "$eq": [before, self.before] }, { "$eq": [first, self.tokens()] },
        ] };
        let q = doc! { "_id": { "$eq": &self.id }, stored::EVENTS_LEFT_TOKEN: { "$all": self.tokens() }, "$expr": same };
        doc! { "q": q, "u": { "$unset": { stored::ABSENT: 1 } } }
    }
}

/// The log of a collection.
struct Log<'l> {
    db: &'l Database,
    collection: &'l str,
    row: EventsRow,
}

impl Log<'_> {
    /// The documents in a state that no crash takes back.
    async fn prove(&self, page: Vec<Emitted>) -> Result<Vec<Emitted>> {
        let (db, collection) = (self.db, self.collection);
        let proofs: Vec<Document> = page.iter().map(Emitted::proof).collect();
        let proved = driver::statements(db, collection, &proofs, false, None).await?;
        if proved.matched == page.len() as u64 {
            return Ok(page);
        }
        let mut durable = Vec::new();
        for one in page {
            let mut query = doc! { "_id": { "$eq": one.id } };
            query.extend(undelivered());
            let fields = fields(collection);
            let found = driver::durable_read_one(db, collection, query, &fields).await?;
            durable.extend(found.and_then(Emitted::read));
        }
        Ok(durable)
    }

    /// Stores the events in the log, those of a document in their order, and removes them from the documents. Gives the number of documents.
    async fn store(&self, mut page: Vec<Emitted>) -> Result<u64> {
        for _ in 0..ROUNDS {
            let entries: Vec<Document> = page.iter().flat_map(|one| self.entries(one)).collect();
            let stored = driver::statements(self.db, self.row.log, &entries, true, None).await?;
            let Some((at, code, message)) = stored.failed.into_iter().next() else {
                return self.remove(&page).await;
            };
            if code != DUPLICATE {
                return Err(self.refused(code, message));
            }
            self.renumber(&page, &entries[at]).await?;
            page = self.prove(page).await?;
        }
        Err(self.refused(
            DUPLICATE,
            "the number of an event is there already".to_owned(),
        ))
    }

    /// Removes the events, which are in the log, from the documents.
    async fn remove(&self, page: &[Emitted]) -> Result<u64> {
        fault!("events_after_log");
        let removals = page.iter().map(|one| {
            let (id, tokens) = (&one.id, one.tokens());
            doc! {
                "q": { "_id": { "$eq": id }, stored::EVENTS_LEFT_TOKEN: { "$in": &tokens } },
                "u": { "$pull": { stored::EVENTS_LEFT: { stored::TOKEN: { "$in": &tokens } } } },
                "hint": { "_id": 1 },
            }
        });
        let removals: Vec<Document> = removals.collect();
        driver::statements(self.db, self.collection, &removals, false, None).await?;
        fault!("events_after_clear");
        Ok(page.len() as u64)
    }

    /// The statements that store the events of a document, each once. What is stored stays as it is.
    fn entries(&self, one: &Emitted) -> impl Iterator<Item = Document> {
        let part = fnv(&one.id.to_string()) % PARTS;
        let (id, tenant, before) = (one.id.clone(), one.tenant.clone(), one.before);
        let readers = self.row.readers;
        let numbered = one.events.clone().into_iter().zip(1_i64..);
        numbered.map(move |((token, event), n)| {
            let mut new = doc! { "e": event, "p": part, "to": readers.to_vec() };
            new.extend(tenant.clone());
            let new = doc! { "$mergeObjects": ["$$ROOT", { "$literal": new }, { "at": "$$NOW" }] };
            let is_there = doc! { "$ne": [{ "$type": "$at" }, "missing"] };
            doc! {
                "q": { "_id": { "$eq": { "d": &id, "r": before + n } }, stored::TOKEN: token },
                "u": [{ "$replaceWith": { "$cond": [is_there, "$$ROOT", new] } }],
                "upsert": true,
            }
        })
    }

    /// Gives greater numbers to the events of a document that another program has stored anew: the log has these already.
    async fn renumber(&self, page: &[Emitted], entry: &Document) -> Result<()> {
        let id = || {
            let number = entry.get_document("q").ok()?.get_document("_id").ok()?;
            number.get_document("$eq").ok()?.get("d")
        };
        let id = id();
        if let Some(one) = page.iter().find(|one| Some(&one.id) == id) {
            let mut raise = one.proof();
            raise.insert(
                "u",
                doc! { "$inc": { stored::EVENT_NUMBER: far_revision() } },
            );
            driver::statements_once(self.db, self.collection, &[raise]).await?;
        }
        Ok(())
    }

    fn refused(&self, code: i32, message: String) -> Error {
        let reference = self.row.log.to_owned();
        Error::Refused {
            reference,
            code,
            message,
        }
    }
}
