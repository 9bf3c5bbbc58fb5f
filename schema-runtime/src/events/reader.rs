//! A reader of events: what waits for it, what it could not do, and what it is to get again.

use std::fmt;
use std::time::Duration;

use bson::{Bson, DateTime, Document, doc};

use super::{Event, Events, MOST, stored};
use crate::Emits;
use crate::driver::{self, FindArgs, ReadOptions, Strings, UpdateArgs};
use crate::error::{Error, Result};
use crate::schema::model::Model;
use crate::tenant::{Reach, reach_filter};

/// The number of attempts, unless the program sets another.
const MAX_ATTEMPTS: u32 = 8;

/// A reader of the events of a model. Any number of programs may run the same reader: they divide the documents among them.
pub struct Reader<'a, M: Model> {
    pub(super) events: Events<'a, M>,
    pub(super) name: String,
    pub(super) lease: Duration,
    pub(super) max_attempts: u32,
    pub(super) every: Duration,
}

impl<M: Model> Clone for Reader<'_, M> {
    fn clone(&self) -> Self {
        Reader {
            name: self.name.clone(),
            ..*self
        }
    }
}

impl<M: Model> fmt::Debug for Reader<'_, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Reader({}, {})", M::model_meta().collection, self.name)
    }
}

/// The events that wait for a reader.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Lag {
    /// The number of events.
    pub events: u64,
    /// The time at which the oldest of them came into the log.
    pub oldest: Option<DateTime>,
    /// The number of dead letters.
    pub dead: u64,
}

impl<'a, M: Emits<DatabaseHandle: Reach>> Reader<'a, M> {
    pub(super) fn new(events: Events<'a, M>, name: String) -> Self {
        Reader {
            events,
            name,
            lease: Duration::from_secs(30),
            max_attempts: MAX_ATTEMPTS,
            every: Duration::from_secs(1),
        }
    }

    /// Sets how long other programs leave the documents of this one alone, by the server's clock, if it does not go on: 30 seconds unless it
    /// is set. It has to be longer than the handling of one event takes.
    #[must_use]
    pub fn lease(mut self, lease: Duration) -> Self {
        self.lease = lease;
        self
    }

    /// Sets after how many failures an event is a dead letter: 8 unless it is set.
    #[must_use]
    pub fn max_attempts(mut self, attempts: u32) -> Self {
        self.max_attempts = attempts.max(1);
        self
    }

    /// Sets the time between two looks while nothing waits: a second unless it is set.
    #[must_use]
    pub fn poll_every(mut self, every: Duration) -> Self {
        self.every = every;
        self
    }

    /// Checks that the model declares the reader.
    pub(super) fn check(&self) -> Result<()> {
        let readers = Events::<M>::row().readers;
        if readers.contains(&self.name.as_str()) {
            return Ok(());
        }
        let model = M::model_meta().name;
        Err(Error::Impossible {
            what: format!(
                "a reader `{}` of the events of {model}: it declares {}",
                self.name,
                match readers {
                    [] => "none".to_owned(),
                    some => some.join(", "),
                }
            ),
        })
    }

    /// Says what waits for this reader. Sends a `find` and two `aggregate`s that count, along the
    /// indexes of the log.
    ///
    /// # Errors
    /// [`Error::Impossible`] if the model does not declare the reader (nothing was sent). The driver's.
    pub async fn lag(&self) -> Result<Lag> {
        self.check()?;
        let log = Events::<M>::row().log;
        let (db, waiting) = reach_filter::<M>(self.events.db, doc! { stored::TO: &self.name });
        let args = FindArgs {
            sort: Some(doc! { stored::AT: 1 }),
            projection: Some(doc! { "_id": 0, stored::AT: 1 }),
            ..FindArgs::default()
        };
        let unpacked = driver::unpack;
        let oldest = driver::first(db, log, waiting.clone(), args, None, unpacked).await?;
        let (_, dead) = reach_filter::<M>(self.events.db, doc! { stored::DEAD: &self.name });
        Ok(Lag {
            events: self.count(waiting).await?,
            oldest: oldest.and_then(|one| one.get_datetime(stored::AT).ok().copied()),
            dead: self.count(dead).await?,
        })
    }

    async fn count(&self, filter: Document) -> Result<u64> {
        let (db, log) = (self.events.database(), Events::<M>::row().log);
        let primary = ReadOptions::from_primary();
        driver::count(db, log, filter, None, Strings::Exactly, primary, None).await
    }

    /// Reads the dead letters: events that this reader has failed to handle as often as [`max_attempts`](Self::max_attempts) says, at most
    /// 1,000. Sends one `find`.
    ///
    /// # Errors
    /// As [`Events::of`].
    pub async fn dead(&self) -> Result<Vec<Event<M>>> {
        self.check()?;
        self.events
            .find(doc! { stored::DEAD: &self.name }, MOST)
            .await
    }

    /// Gives the reader a dead letter once more, with all its attempts, although later events of the document may be done. Sends one
    /// `update`, atomic.
    ///
    /// # Errors
    /// [`Error::NotFound`] if there is no such dead letter; the driver's.
    pub async fn revive(&self, event: &Event<M>) -> Result<()> {
        let dead = doc! { "_id": { "$eq": event.key()? }, stored::DEAD: &self.name };
        match self.change(dead, self.waiting_again()).await? {
            0 => Err(Error::NotFound {
                model: M::model_meta().name,
                id: Box::new(event.key()?),
            }),
            _ => Ok(()),
        }
    }

    /// Gives the reader once more every event that has come into the log since this time, and all earlier ones for a reader that the model
    /// declares anew with [`DateTime::MIN`]. Gives the number of events that it had done. Sends one `update`, which changes
    /// documents one by one.
    ///
    /// # Errors
    /// As [`lag`](Self::lag).
    pub async fn replay(&self, since: DateTime) -> Result<u64> {
        self.check()?;
        let done = doc! { stored::AT: { "$gte": since }, stored::TO: { "$ne": &self.name } };
        self.change(done, self.waiting_again()).await
    }

    fn waiting_again(&self) -> Document {
        doc! {
            "$addToSet": { stored::TO: &self.name },
            "$pull": { stored::DEAD: &self.name },
            "$unset": { self.failures(): "" },
        }
    }

    /// The path of the failures of this reader.
    pub(super) fn failures(&self) -> String {
        format!("{}.{}", stored::FAILED, self.name)
    }

    /// Changes events; gives how many were changed.
    pub(super) async fn change(
        &self,
        filter: Document,
        changes: impl Into<mongodb::options::UpdateModifications>,
    ) -> Result<u64> {
        let (db, filter) = reach_filter::<M>(self.events.db, filter);
        let args = UpdateArgs {
            changes: changes.into(),
            lasting: driver::Lasting::Durable,
            ..UpdateArgs::plain(filter, Document::new(), true)
        };
        let done = driver::update(db, Events::<M>::row().log, args, None).await?;
        Ok(done.modified_count)
    }

    /// The filter of the events that wait for this reader.
    pub(super) fn waiting(&self) -> Document {
        doc! { stored::TO: Bson::from(&self.name) }
    }
}
