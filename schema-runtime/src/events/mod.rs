//! Events that documents emit, and the readers that get each of them.
//!
//! A model with `events(..)` stores an event in the same atomic write as the change that it tells of, in the document itself. From there the
//! library copies it into the log, a collection of its own, behind the answer of the call; [`recover`](crate::recover) and a
//! [`Sweeper`](crate::Sweeper) do that for programs that have ended. So no change is without its event and no event without its change, on a
//! standalone server too.
//!
//! The events of one document have consecutive numbers, and each reader gets them in this order. It gets each at least once: after a crash
//! some come again. An effect that has to happen once compares the [`number`](Event::number) with that of the latest event that it knows.

mod reader;
mod run;

use std::fmt;

use bson::{Bson, DateTime, Document, RawDocument, doc};

pub use self::reader::{Lag, Reader};
pub use self::run::Worked;
#[doc(no_inline)]
pub use crate::Emits;
use crate::bson_util::number::integer;
use crate::document::id::encode_id;
use crate::driver::{self, Database, FindArgs};
use crate::error::{Error, Result};
use crate::schema::events::EventsRow;
use crate::schema::field::IntoArg;
use crate::schema::model::Model;
use crate::tenant::{Reach, reach_filter};

/// The names of the fields in the log.
mod stored {
    /// The readers that have not got the event yet.
    pub(super) const TO: &str = "to";
    pub(super) const PART: &str = "p";
    pub(super) const AT: &str = "at";
    /// The readers for which the event is a dead letter.
    pub(super) const DEAD: &str = "dead";
    /// By reader, the number of failures and the time of the next attempt.
    pub(super) const FAILED: &str = "failed";
}

/// An event that a document has emitted.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Event<M: Emits> {
    /// The `_id` of the document.
    pub id: M::DocumentId,
    /// The number of the event: one more than that of the event before it of the same document.
    pub number: i64,
    /// The time, by the server's clock, at which the event came into the log.
    pub at: DateTime,
    /// The event as it was emitted.
    pub value: M::Event,
}

impl<M: Emits> Event<M> {
    fn read(raw: &RawDocument) -> Result<Self> {
        let stored = driver::unpack(raw)?;
        let decoded = Self::decode(&stored);
        decoded.map_err(|source| Error::Decode {
            model: M::model_meta().name,
            id: stored.get("_id").map(Bson::to_string).unwrap_or_default(),
            source: Box::new(source.into()),
        })
    }

    fn decode(stored: &Document) -> bson::error::Result<Self> {
        let key = stored.get_document("_id").cloned().unwrap_or_default();
        let part =
            |document: &Document, name: &str| document.get(name).cloned().unwrap_or(Bson::Null);
        Ok(Event {
            id: bson::deserialize_from_bson(part(&key, "d"))?,
            number: integer(key.get("r")).unwrap_or_default(),
            at: stored
                .get_datetime(stored::AT)
                .copied()
                .unwrap_or(DateTime::MIN),
            value: bson::deserialize_from_bson(part(stored, "e"))?,
        })
    }

    /// The `_id` of the event in the log.
    fn key(&self) -> Result<Bson> {
        Ok(doc! { "d": encode_id::<M>(&self.id)?, "r": self.number }.into())
    }
}

/// The events of a model.
pub struct Events<'a, M: Model> {
    db: &'a M::DatabaseHandle,
}

impl<M: Model> Clone for Events<'_, M> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<M: Model> Copy for Events<'_, M> {}

impl<M: Model> fmt::Debug for Events<'_, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Events({})", M::model_meta().collection)
    }
}

/// The largest number of events that one call gives.
const MOST: i64 = 1_000;

impl<'a, M: Emits<DatabaseHandle: Reach>> Events<'a, M> {
    pub(crate) fn new(db: &'a M::DatabaseHandle) -> Self {
        Events { db }
    }

    /// Returns a reader of the events, one of those that `events(.., readers(..))` names. Sends nothing.
    pub fn reader(self, name: impl Into<String>) -> Reader<'a, M> {
        Reader::new(self, name.into())
    }

    /// Reads the events of a document with numbers above `after`, oldest first, at most 1,000. Sends one `find`, served by the index of
    /// `_id`. An event comes into the log some milliseconds after its write.
    ///
    /// # Errors
    /// The driver's; [`Error::Decode`] if an event is not of the type that the model declares.
    pub async fn of(
        self,
        id: impl IntoArg<M::DocumentId>,
        after: Option<i64>,
    ) -> Result<Vec<Event<M>>> {
        let id = encode_id::<M>(&id.into_arg())?;
        let after = after.map_or(Bson::MinKey, Bson::Int64);
        let range =
            doc! { "$gt": { "d": &id, "r": after }, "$lt": { "d": &id, "r": Bson::MaxKey } };
        self.find(doc! { "_id": range }, MOST).await
    }

    /// Deletes the events that came into the log before this time and that every reader has done; those that wait and dead letters stay.
    /// Gives the number of deleted events. Sends one `delete`, served by the index of the readers.
    ///
    /// # Errors
    /// The driver's.
    pub async fn trim(self, before: DateTime) -> Result<u64> {
        let done = doc! {
            stored::TO: { "$eq": [] },
            stored::DEAD: { "$exists": false },
            stored::AT: { "$lt": before },
        };
        let (db, done) = reach_filter::<M>(self.db, done);
        let lasting = driver::Lasting::AsConfigured;
        let strings = driver::Strings::Exactly;
        driver::delete_many(db, Self::row().log, done, lasting, strings, None).await
    }

    fn row() -> EventsRow {
        let none = EventsRow {
            log: "",
            readers: &[],
        };
        M::model_meta().events.unwrap_or(none)
    }

    fn database(self) -> &'a Database {
        reach_filter::<M>(self.db, Document::new()).0
    }

    /// Finds events in the order of their documents and numbers.
    async fn find(self, filter: Document, limit: i64) -> Result<Vec<Event<M>>> {
        let (db, filter) = reach_filter::<M>(self.db, filter);
        let args = FindArgs {
            sort: Some(doc! { "_id": 1 }),
            limit: Some(limit),
            ..FindArgs::default()
        };
        let rows = driver::open(db, Self::row().log, filter, args, None).await?;
        rows.all(|raw| Event::read(raw)).await
    }
}
