//! The work of a reader: it takes a part of the documents under a lease, and handles their events in order.

use std::convert::Infallible;
use std::time::Duration;

use bson::{Bson, Document, doc};

use super::{Event, Events, Reader, stored};
use crate::Emits;
use crate::bson_util::number::integer;
use crate::driver::attempts::random_below;
use crate::driver::{self, Database, FindArgs};
use crate::error::{Error, Result};
use crate::lock::{Lock, LockLease};
use crate::outbox::PARTS;
use crate::tenant::{Reach, reach_filter};

/// The largest number of events that are read together.
const EVENTS: i64 = 500;

/// The largest number of events that are handled before the log says so.
const UNSAID: usize = 100;

/// The longest time until an event is handled once more.
const LONGEST_DELAY: Duration = Duration::from_secs(300);

/// The work that one look has done.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Worked {
    /// The events that were handled.
    pub handled: u64,
    /// The events whose handling has failed; each is tried again after 2, 4, 8, .. and at most 300 seconds.
    pub failed: u64,
    /// The events that have failed for the last time and are dead letters now.
    pub dead: u64,
}

impl Worked {
    fn add(&mut self, other: &Worked) {
        self.handled += other.handled;
        self.failed += other.failed;
        self.dead += other.dead;
    }
}

/// A part of the documents that this program has to itself.
struct Part {
    lease: LockLease,
    part: i64,
    /// Half of the lease is over at this time of this program.
    extend_at: tokio::time::Instant,
}

/// An event of the log, with the number of its failures.
struct Waiting<M: Emits> {
    /// The `_id` in the log.
    key: Bson,
    /// None if it is not of the type that the model declares.
    event: Option<Event<M>>,
    failures: i64,
    /// True if the time of the next attempt has not come.
    waits: bool,
}

impl<M: Emits<DatabaseHandle: Reach>> Reader<'_, M> {
    /// Handles events for ever: calls `handle` with each, those of a document one after the other in the order of their numbers. Where it
    /// fails, the event is tried again later, and later events of the same document wait for it; after
    /// [`max_attempts`](Self::max_attempts) failures it is a dead letter, and they go on. An event that is not of the type that the model declares
    /// fails, too. Run as many tasks and programs with the same
    /// reader as the work needs, up to 16 at once.
    ///
    /// A program that ends in the middle leaves up to 100 handled events that come again; other programs go on with its documents after the
    /// [`lease`](Self::lease).
    ///
    /// Sends, per up to 500 events of the documents of one part (a sixteenth of all): a `find` that looks for work, a `findAndModify` for the
    /// lease, a `find` of the events, an `update` per 100 handled events and per failure, and a `findAndModify` that ends the lease; while
    /// nothing waits, one `find` per [`poll_every`](Self::poll_every).
    ///
    /// # Errors
    /// [`Error::Impossible`] if the model does not declare the reader (nothing was sent). An error of the server or the network does not end
    /// it.
    pub async fn run<R, E>(&self, mut handle: impl FnMut(Event<M>) -> R) -> Result<Infallible>
    where
        R: Future<Output = std::result::Result<(), E>>,
    {
        self.check()?;
        let mut failures = 0;
        loop {
            failures = match self.work(&mut handle).await {
                Ok(worked) if worked != Worked::default() => {
                    failures = 0;
                    continue;
                }
                Ok(_) => 0,
                Err(error @ (Error::Decode { .. } | Error::Impossible { .. })) => {
                    return Err(error);
                }
                Err(_) => failures + 1,
            };
            let pause = self.every * (1 << u32::min(failures, 4));
            tokio::time::sleep(pause + pause.mul_f64(random_below(1_000) as f64 / 4_000.0)).await;
        }
    }

    /// Looks once: handles the events that wait in every part that no other program has, and returns what it has done. [`run`](Self::run)
    /// says more.
    ///
    /// # Errors
    /// Those of [`run`](Self::run), and the driver's: what was handled before it is done.
    pub async fn work<R, E>(&self, mut handle: impl FnMut(Event<M>) -> R) -> Result<Worked>
    where
        R: Future<Output = std::result::Result<(), E>>,
    {
        self.check()?;
        let mut worked = Worked::default();
        let first = i64::from(random_below(u64::from(PARTS)) as u32);
        for range in [first..i64::from(PARTS), 0..first] {
            let mut from = range.start;
            while let Some(part) = self.next_part(from, range.end).await? {
                from = part + 1;
                let db = self.events.database();
                if let Some(mut part) = self.take(db, part).await? {
                    let done = self.work_in(db, &mut part, &mut handle, &mut worked).await;
                    // A lease that another program has taken over ends there.
                    let released = part.lease.release(db).await;
                    done?;
                    match released {
                        Ok(()) | Err(Error::LeaseLost { .. }) => {}
                        Err(error) => return Err(error),
                    }
                }
            }
        }
        Ok(worked)
    }

    /// The first part from `from` on in which an event waits.
    async fn next_part(&self, from: i64, end: i64) -> Result<Option<i64>> {
        let mut waiting = self.waiting();
        waiting.insert(stored::PART, doc! { "$gte": from, "$lt": end });
        let (db, waiting) = reach_filter::<M>(self.events.db, waiting);
        let args = FindArgs {
            sort: Some(doc! { stored::PART: 1 }),
            projection: Some(doc! { "_id": 0, stored::PART: 1 }),
            ..FindArgs::default()
        };
        let log = Events::<M>::row().log;
        let found = driver::first(db, log, waiting, args, None, driver::unpack).await?;
        Ok(found.and_then(|one| integer(one.get(stored::PART))))
    }

    /// Takes a part; `None` if another program has it.
    async fn take(&self, db: &Database, part: i64) -> Result<Option<Part>> {
        let log = Events::<M>::row().log;
        let (_, wall) = reach_filter::<M>(self.events.db, Document::new());
        let of = match wall.is_empty() {
            true => String::new(),
            false => format!("/{wall}"),
        };
        let lock = Lock::new(format!("{log}/{}/{part}{of}", self.name));
        let asked = tokio::time::Instant::now();
        let lease = lock.try_acquire(db, self.lease).await?;
        Ok(lease.map(|lease| Part {
            lease,
            part,
            extend_at: asked + self.lease / 2,
        }))
    }

    /// Handles the events of a part, document by document.
    async fn work_in<R, E>(
        &self,
        db: &Database,
        part: &mut Part,
        handle: &mut impl FnMut(Event<M>) -> R,
        worked: &mut Worked,
    ) -> Result<()>
    where
        R: Future<Output = std::result::Result<(), E>>,
    {
        let mut after = Bson::MinKey;
        loop {
            let page = self.read(part.part, &after).await?;
            let Some(last) = page.last() else {
                return Ok(());
            };
            let (is_last, last_key) = ((page.len() as i64) < EVENTS, last.key.clone());
            let mut done = Vec::new();
            let mut now = Worked::default();
            // The document whose events wait for one that has failed.
            let mut held: Option<Bson> = None;
            let worked_through = async {
                for one in page {
                    let key = one.key;
                    let document = document_of(&key);
                    if held.as_ref() == Some(&document) {
                        continue;
                    }
                    if one.waits {
                        held = Some(document);
                        continue;
                    }
                    self.keep(db, part).await?;
                    let handled = match one.event {
                        Some(event) => handle(event).await.is_ok(),
                        None => false,
                    };
                    match handled {
                        true => {
                            now.handled += 1;
                            done.push(key);
                            if done.len() == UNSAID {
                                self.finish(std::mem::take(&mut done)).await?;
                            }
                        }
                        false if one.failures + 1 >= i64::from(self.max_attempts) => {
                            now.dead += 1;
                            self.bury(&key).await?;
                        }
                        false => {
                            now.failed += 1;
                            self.fail(&key, one.failures + 1).await?;
                            held = Some(document);
                        }
                    }
                }
                Ok(())
            };
            let through: Result<()> = worked_through.await;
            worked.add(&now);
            self.finish(done).await?;
            through?;
            if is_last {
                return Ok(());
            }
            let document = document_of(&last_key);
            let is_held = held.as_ref() == Some(&document);
            after = match is_held {
                true => doc! { "d": document, "r": Bson::MaxKey }.into(),
                false => last_key,
            };
        }
    }

    /// Extends the lease of a part once half of it is over.
    async fn keep(&self, db: &Database, part: &mut Part) -> Result<()> {
        let now = tokio::time::Instant::now();
        if now >= part.extend_at {
            part.lease.extend(db, self.lease).await?;
            part.extend_at = now + self.lease / 2;
        }
        Ok(())
    }

    /// The next events of a part, in the order of their documents and numbers.
    async fn read(&self, part: i64, after: &Bson) -> Result<Vec<Waiting<M>>> {
        let mut waiting = self.waiting();
        waiting.insert(stored::PART, part);
        waiting.insert("_id", doc! { "$gt": after });
        let (db, waiting) = reach_filter::<M>(self.events.db, waiting);
        let failed = format!("${}", self.failures());
        let waits = doc! { "$gt": [format!("{failed}.at"), "$$NOW"] };
        let args = FindArgs {
            sort: Some(doc! { "_id": 1 }),
            limit: Some(EVENTS),
            projection: Some(doc! {
                stored::AT: 1, "e": 1, "n": { "$ifNull": [format!("{failed}.n"), 0] }, "w": waits,
            }),
            ..FindArgs::default()
        };
        let log = Events::<M>::row().log;
        let rows = driver::open(db, log, waiting, args, None).await?;
        let rows = rows.all(|raw| {
            let numbers = driver::unpack(raw)?;
            Ok(Waiting {
                key: numbers.get("_id").cloned().unwrap_or(Bson::Null),
                event: Event::read(raw).ok(),
                failures: integer(numbers.get("n")).unwrap_or(0),
                waits: numbers.get_bool("w").unwrap_or(false),
            })
        });
        rows.await
    }

    /// Notes in the log that these events are handled.
    async fn finish(&self, keys: Vec<Bson>) -> Result<()> {
        if keys.is_empty() {
            return Ok(());
        }
        let handled = doc! { "_id": { "$in": keys }, stored::TO: &self.name };
        let gone = doc! { "$pull": { stored::TO: &self.name }, "$unset": { self.failures(): "" } };
        self.change(handled, gone).await.map(drop)
    }

    /// Notes that an event has failed, and when it is tried again.
    async fn fail(&self, key: &Bson, failures: i64) -> Result<()> {
        let delay = 2_u64.saturating_pow(u32::try_from(failures).unwrap_or(u32::MAX));
        let delay = Duration::from_secs(delay).min(LONGEST_DELAY);
        let failed = doc! { "n": failures, "at": driver::time::after(delay) };
        let this = doc! { "_id": { "$eq": key }, stored::TO: &self.name };
        let set = vec![doc! { "$set": { self.failures(): failed } }];
        self.change(this, set).await.map(drop)
    }

    /// Makes an event a dead letter.
    async fn bury(&self, key: &Bson) -> Result<()> {
        let this = doc! { "_id": { "$eq": key }, stored::TO: &self.name };
        let dead = doc! {
            "$pull": { stored::TO: &self.name },
            "$addToSet": { stored::DEAD: &self.name },
            "$unset": { self.failures(): "" },
        };
        self.change(this, dead).await.map(drop)
    }
}

/// The document of an event with this `_id`.
fn document_of(key: &Bson) -> Bson {
    let document = key.as_document().and_then(|key| key.get("d"));
    document.cloned().unwrap_or(Bson::Null)
}
