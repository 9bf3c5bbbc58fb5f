//! The log of a collection: stores the entries of its documents, and removes them from these.

use bson::{Bson, Document, doc};

use super::changes::{self, LogEntry};
use super::emitter::{Emitter, fields};
use super::{PARTS, undelivered};
use crate::bson_util::number::far_revision;
use crate::driver::{self, Database};
use crate::error::{Error, Result};
use crate::index_spec::definition::fnv;
use crate::schema::outbox::{Outbox, RecordedFields};
use crate::schema::registry;
use crate::schema::stored;

/// The largest number of times that the entries of a page are stored because some of them get other numbers.
const ROUNDS: usize = 4;

/// The number of the server's error for a second document with an `_id`.
const DUPLICATE: i32 = 11_000;

/// The log of a collection.
pub(super) struct Log<'l> {
    db: &'l Database,
    collection: &'l str,
    outbox: Outbox,
    name: &'static str,
    /// The readers of events.
    readers: &'static [&'static str],
}

impl<'l> Log<'l> {
    /// The log of a list of the documents of this collection; `None` if they have none.
    pub(super) fn find(db: &'l Database, collection: &'l str, outbox: Outbox) -> Option<Self> {
        let name = outbox.log_of(collection)?;
        let models = registry::models();
        let mut rows = models.iter().filter_map(|model| model.events);
        let readers = rows.find(|row| row.log == name).map(|row| row.readers);
        Some(Log {
            db,
            collection,
            outbox,
            name,
            readers: readers.unwrap_or_default(),
        })
    }
}

impl Log<'_> {
    /// The documents in a state that no crash takes back.
    pub(super) async fn prove(&self, page: Vec<Emitter>) -> Result<Vec<Emitter>> {
        let (db, collection) = (self.db, self.collection);
        let proofs: Vec<Document> = page.iter().map(Emitter::proof).collect();
        let proved = driver::statements(db, collection, &proofs, false, None).await?;
        if proved.matched == page.len() as u64 {
            return Ok(page);
        }
        let mut durable = Vec::new();
        for Emitter { id, last, .. } in page {
            let mut query = doc! { "_id": { "$eq": id } };
            if last.is_empty() {
                query.extend(undelivered(self.outbox));
            }
            let fields = fields(collection, self.outbox);
            let found = driver::durable_read_one(db, collection, query, &fields).await?;
            let emitter = found.and_then(|found| Emitter::read(found, self.outbox));
            durable.extend(emitter.map(|emitter| Emitter { last, ..emitter }));
        }
        Ok(durable)
    }

    /// Stores the entries in the log, those of a document in their order, and removes them from the documents. Gives the number of documents.
    pub(super) async fn store(&self, mut page: Vec<Emitter>) -> Result<u64> {
        for _ in 0..ROUNDS {
            let entries: Vec<Document> = page
                .iter()
                .flat_map(|emitter| self.statements(emitter))
                .collect();
            let Some((at, code, message)) = self.store_entries(&entries).await? else {
                self.expire(&page).await?;
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
            "the number of an entry is there already".to_owned(),
        ))
    }

    /// Stores entries in their order. Gives the first that the log refuses.
    async fn store_entries(&self, entries: &[Document]) -> Result<Option<(usize, i32, String)>> {
        let mut at = 0;
        loop {
            let sent = driver::statements(self.db, self.name, &entries[at..], true, None).await?;
            let Some((refused, code, message)) = sent.failed.into_iter().next() else {
                return Ok(None);
            };
            at += refused;
            // Another program has stored the same entry at this moment: sent again, the statement finds it.
            if code != DUPLICATE || !self.has(&entries[at]).await? {
                return Ok(Some((at, code, message)));
            }
        }
    }

    /// True if the log has the entry of this statement, and not another one with its number.
    async fn has(&self, entry: &Document) -> Result<bool> {
        let (Some(number), Ok(query)) = (number_of(entry), entry.get_document("q")) else {
            return Ok(false);
        };
        let ids = [Bson::from(number.clone())];
        let fields = doc! { stored::TOKEN: 1 };
        let there = driver::read_by(self.db, self.name, "_id", &ids, &fields, None).await?;
        let token = query.get(stored::TOKEN);
        Ok(there.iter().any(|there| there.get(stored::TOKEN) == token))
    }

    /// Deletes the entries that are older than the last ones which the history keeps of a document, whenever a tenth as many have come.
    async fn expire(&self, page: &[Emitter]) -> Result<()> {
        let history = RecordedFields::find(self.collection);
        let history = history.filter(|_| self.outbox == Outbox::History);
        let Some(keep) = history.and_then(|(_, history)| history.keep_last()) else {
            return Ok(());
        };
        let part = (keep / 10).max(1);
        let is_due = |emitter: &&Emitter| emitter.before / part != emitter.end() / part;
        let expired = page.iter().filter(is_due).map(|emitter| {
            let key = |number: Bson| doc! { "d": &emitter.id, "r": number };
            let oldest = emitter.end() - keep;
            let range = doc! { "$gte": key(Bson::MinKey), "$lte": key(oldest.into()) };
            doc! { "q": { "_id": range }, "limit": 0 }
        });
        let expired: Vec<Document> = expired.collect();
        match expired.as_slice() {
            [] => Ok(()),
            expired => driver::deletes(self.db, self.name, expired, None)
                .await
                .map(drop),
        }
    }

    /// Removes the entries, which are in the log, from the documents.
    async fn remove(&self, page: &[Emitter]) -> Result<u64> {
        fault!("events_after_log");
        // Documents that are about to be deleted go with their entries.
        let holding = page
            .iter()
            .filter(|one| !one.entries.is_empty() && one.last.is_empty());
        let removals = holding.map(|one| {
            let (id, tokens) = (&one.id, one.tokens());
            doc! {
                "q": { "_id": { "$eq": id }, self.outbox.token(): { "$in": &tokens } },
                "u": { "$pull": { self.outbox.list(): { stored::TOKEN: { "$in": &tokens } } } },
                "hint": { "_id": 1 },
            }
        });
        let removals: Vec<Document> = removals.collect();
        driver::statements(self.db, self.collection, &removals, false, None).await?;
        fault!("events_after_clear");
        Ok(page.len() as u64)
    }

    /// The statements that store the entries of a document, each once. What is stored stays as it is.
    fn statements(&self, emitter: &Emitter) -> Vec<Document> {
        let (id, before) = (&emitter.id, emitter.before);
        let tenant = emitter.tenant(self.collection);
        let entries: Vec<LogEntry> = match self.outbox {
            Outbox::Events => {
                let part = fnv(&id.to_string()) % PARTS;
                let events = emitter
                    .entries
                    .iter()
                    .chain(&emitter.last)
                    .map(|(token, event)| LogEntry {
                        token: *token,
                        value: doc! { "e": event, "p": part, "to": self.readers.to_vec() },
                        at: None,
                    });
                events.collect()
            }
            Outbox::History => changes::entries(emitter, self.collection),
        };
        let numbered = entries.into_iter().zip(1_i64..);
        let statements = numbered.map(
            |(
                LogEntry {
                    token,
                    mut value,
                    at,
                },
                n,
            )| {
                value.extend(tenant.clone());
                let at = at.map_or("$$NOW".into(), Bson::DateTime);
                let new = doc! { "$mergeObjects": ["$$ROOT", { "$literal": value }, { "at": at }] };
                let is_there = doc! { "$ne": [{ "$type": "$at" }, "missing"] };
                doc! {
                    "q": { "_id": { "$eq": { "d": id, "r": before + n } }, stored::TOKEN: token },
                    "u": [{ "$replaceWith": { "$cond": [is_there, "$$ROOT", new] } }],
                    "upsert": true,
                }
            },
        );
        statements.collect()
    }

    /// Gives greater numbers to the entries of a document that another program has stored anew: the log has these already.
    async fn renumber(&self, page: &[Emitter], entry: &Document) -> Result<()> {
        let id = number_of(entry).and_then(|number| number.get("d"));
        if let Some(one) = page.iter().find(|one| Some(&one.id) == id) {
            let mut raise = one.proof();
            raise.insert(
                "u",
                doc! { "$inc": { self.outbox.number(): far_revision() } },
            );
            driver::statements_once(self.db, self.collection, &[raise]).await?;
        }
        Ok(())
    }

    fn refused(&self, code: i32, message: String) -> Error {
        let reference = self.name.to_owned();
        Error::Refused {
            reference,
            code,
            message,
        }
    }
}

/// The `_id` of the entry that a statement stores.
fn number_of(entry: &Document) -> Option<&Document> {
    let query = entry.get_document("q").ok()?;
    query.get_document("_id").ok()?.get_document("$eq").ok()
}
