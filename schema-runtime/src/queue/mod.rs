//! Queues: models with `queue(..)`, whose documents are jobs that workers take one at a time.
//!
//! A stored job is ready, unless it was pushed with a time to wait ([`after`](Insert::after), [`at`](Insert::at)).
//! [`pop`](Queue::pop) leases the first ready job to a worker until a time by the server's clock, and gives the lease's token.
//! The worker completes it with [`ack`](Leased::ack), gives it back with [`nack`](Leased::nack), or prolongs the lease with
//! [`extend`](Leased::extend). If the worker dies, its lease ends and another `pop` takes the job: every job is done at least once,
//! and belongs to one worker while its lease lasts. A job whose attempts are used up is a dead letter, and stays until a program
//! revives or deletes it.
//!
//! Leases do not depend on the clock of any program, but the order of jobs may: jobs of one priority are taken in the order of their
//! `_id`s, or of the field that `queue(order = ..)` names, and an ObjectId begins with the second of its program's clock.
//!
//! ```no_run
//! # use mongo_model::MongoModel; use mongo_model_guide::work::*; use std::time::Duration;
//! # async fn example(db: &mongo_model::Database) -> mongo_model::Result<()> {
//! let mails = Mail::queue(db);
//! mails.push(&mail(1, "welcome")).await?;
//! while let Some(leased) = mails.pop("worker 1", Duration::from_secs(30)).await? {
//!     println!("send {}", leased.job.subject);
//!     leased.ack(db).await?; // done: the job is deleted
//! }
//! # Ok(()) }
//! ```

mod lease;

use std::fmt;
use std::time::Duration;

use bson::doc;
use bson::{Bson, Document};

use crate::bson_util::stored_id::id_in_filter;
use crate::document::id::by_id;
use crate::driver;
use crate::driver::capabilities::require;
use crate::driver::time::{after, one_more};
use crate::error::server::Feature;
use crate::error::{Error, Result};
use crate::find::Find;
use crate::schema::field::IntoArg;
use crate::schema::model::Model;
use crate::schema::model::ModelMeta;
use crate::schema::stored;
use crate::tenant::{Reach, reach_filter};
use crate::write::store::Insert;

#[doc(no_inline)]
pub use crate::Queued;
pub use crate::schema::queue::QueueRow;

pub use self::lease::Leased;

/// The value that a dead letter stores in place of a time.
const DEAD: &str = "dead";

/// The number of pops of which one, on average, searches for ended leases, besides the pops that find no ready job.
const LOOKS: u64 = 16;

/// The jobs of a model.
pub struct Queue<'a, M: Model> {
    db: &'a M::DatabaseHandle,
}

impl<M: Model> Clone for Queue<'_, M> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<M: Model> Copy for Queue<'_, M> {}

impl<M: Model> fmt::Debug for Queue<'_, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Queue({})", M::model_meta().collection)
    }
}

impl<'a, M: Queued<DatabaseHandle: Reach>> Queue<'a, M> {
    pub(crate) fn new(db: &'a M::DatabaseHandle) -> Self {
        Queue { db }
    }

    /// Stores a job, which is ready at once: what [`insert`](crate::MongoModel::insert) does. In a transaction (`.within(tx)`) it is ready
    /// when that is committed. With [`.after(wait)`](Insert::after) or [`.at(time)`](Insert::at) it is ready at that
    /// time.
    pub fn push(self, job: &M) -> Insert<'a, M> {
        self.db
            .reach(|db| Insert::new(db, std::iter::once(job), false))
    }

    /// Stores many jobs: what [`insert_many`](crate::MongoModel::insert_many) does.
    pub fn push_many<'d>(self, jobs: impl IntoIterator<Item = &'d M>) -> Insert<'a, M> {
        self.db.reach(|db| Insert::new(db, jobs, true))
    }

    /// Finds the dead letters: jobs that were taken as often as `max_attempts` allows, and given back or abandoned each
    /// time. The index of the queue serves it; [`delete`](crate::MongoModel::delete) those that are of no use,
    /// [`revive`](Self::revive) the others.
    pub fn dead(self) -> Find<'a, M> {
        self.db
            .reach(|db| Find::new(db, Ok(doc! { stored::JOB_AT: DEAD })))
    }
}

impl<M: Queued<DatabaseHandle: Reach>> Queue<'_, M> {
    /// Leases the first job that is ready to a worker, for this long by the server's clock: the first job of the
    /// greatest priority. `None` if none is ready.
    ///
    /// Sends one `findAndModify`, served by the index of the queue (`sync_indexes`), durable: the token of a lease is never given
    /// again. Jobs whose lease has ended, or whose time to come back has come, are made ready by an `update` before it,
    /// in one of 16 calls and in each call that finds nothing ready. If the reply is lost, no worker has the job until
    /// its lease has ended.
    ///
    /// # Errors
    /// The driver's, or [`Error::Decode`] if a job does not match the model: it stays leased, and ends as a dead
    /// letter.
    pub async fn pop(
        self,
        worker: impl Into<String>,
        lease: Duration,
    ) -> Result<Option<Leased<M>>> {
        let worker = worker.into();
        let (db, _) = reach_filter::<M>(self.db, Document::new());
        require(db, Feature::Queues).await?;
        if looks() {
            self.return_ended().await?;
        }
        if let Some(leased) = self.first(&worker, lease).await? {
            return Ok(Some(leased));
        }
        match self.return_ended().await? {
            0 => Ok(None),
            _ => self.first(&worker, lease).await,
        }
    }

    async fn first(self, worker: &str, lease: Duration) -> Result<Option<Leased<M>>> {
        let meta = M::model_meta();
        let sort = row(meta)?.order(meta).into_iter();
        let sort =
            sort.map(|(path, greatest)| (path.to_owned(), if greatest { -1 } else { 1 }.into()));
        let taken = doc! { "$set": { stored::JOB: {
            stored::key::JOB_AT: after(lease),
            stored::key::JOB_TAKEN: one_more(stored::value::JOB_TAKEN),
            stored::key::JOB_LEASE: one_more(stored::value::JOB_LEASE),
            stored::key::JOB_WORKER: { "$literal": worker },
        } } };
        let mut ready = doc! { stored::JOB_AT: { "$exists": false } };
        // Skip a job that is being deleted.
        if crate::graph::relations::Relations::get().entombs(meta.collection) {
            ready.insert(stored::TOMBSTONE, doc! { "$exists": false });
        }
        let (db, ready) = reach_filter::<M>(self.db, ready);
        let taken = driver::first_changed(db, meta.collection, ready, sort.collect(), vec![taken]);
        let taken = taken.await?;
        taken.map(|raw| Leased::read(&raw)).transpose()
    }

    /// Makes jobs ready whose lease or wait has ended, or makes them dead letters; gives how many there were.
    async fn return_ended(self) -> Result<u64> {
        let meta = M::model_meta();
        // The first condition compares with a constant, so that the index serves it; it excludes jobs without a time.
        let ended = doc! {
            stored::JOB_AT: { "$gte": bson::DateTime::from_millis(0) },
            "$expr": { "$lte": [stored::value::JOB_AT, "$$NOW"] },
        };
        let (waits, until) = crate::write::job_wait::waits();
        let back = dead_or(row(meta)?, "$$REMOVE".into());
        let now = doc! { "$cond": [waits, until, back] };
        let (db, ended) = reach_filter::<M>(self.db, ended);
        let update = driver::UpdateArgs {
            filter: ended,
            changes: vec![
                doc! { "$set": { stored::JOB_AT: now } },
                crate::write::job_wait::without_wait(),
            ]
            .into(),
            many: true,
            upsert: false,
            lasting: driver::Lasting::Durable,
            strings: driver::Strings::Exactly,
        };
        let done = driver::update(db, meta.collection, update, None).await?;
        Ok(done.modified_count)
    }

    /// Makes a dead letter ready once more, with all its attempts. Sends one `update`, atomic.
    ///
    /// # Errors
    /// [`Error::NotFound`] if there is no dead letter with this `_id`, or the driver's.
    pub async fn revive(self, id: impl IntoArg<M::DocumentId>) -> Result<()> {
        let meta = M::model_meta();
        let mut filter = by_id::<M>(&id.into_arg())?;
        filter.insert(stored::JOB_AT, DEAD);
        let (db, filter) = reach_filter::<M>(self.db, filter);
        let fresh = doc! { "$unset": { stored::JOB_AT: "" }, "$set": { stored::JOB_TAKEN: 0_i64 } };
        let args = driver::UpdateArgs::plain(filter.clone(), fresh, false);
        match driver::update(db, meta.collection, args, None)
            .await?
            .matched_count
        {
            0 => Err(Error::NotFound {
                model: meta.name,
                id: Box::new(id_in_filter(&filter)),
            }),
            _ => Ok(()),
        }
    }
}

/// True if this call searches for ended leases: by chance, one in `LOOKS`.
fn looks() -> bool {
    use std::hash::{BuildHasher, Hasher};
    let chance = std::collections::hash_map::RandomState::new();
    chance.build_hasher().finish().is_multiple_of(LOOKS)
}

fn row(meta: &ModelMeta) -> Result<QueueRow> {
    meta.queue.ok_or_else(|| Error::Impossible {
        what: format!("{} is not a queue", meta.name),
    })
}

/// An expression that gives `DEAD` for a job whose attempts are used up, else `otherwise`.
fn dead_or(queue: QueueRow, otherwise: Bson) -> Document {
    let used_up = doc! { "$gte": [stored::value::JOB_TAKEN, i64::from(queue.max_attempts)] };
    doc! { "$cond": [used_up, DEAD, otherwise] }
}
