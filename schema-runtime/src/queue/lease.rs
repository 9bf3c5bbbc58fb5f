//! A job that a worker has leased.

use std::time::Duration;

use bson::{Bson, Document, RawDocument, doc};

use super::{DEAD, dead_or, row};
use crate::bson_util::stored_id::id_in_filter;
use crate::document::id::by_id;
use crate::driver::time::after;
use crate::driver::{self, Database};
use crate::error::{Error, Result};
use crate::outcome::deleted::Deleted;
use crate::outcome::progress::Tell;
use crate::propagation::delete::run::{Which, delete};
use crate::schema::queue::Queued;
use crate::schema::stored;
use crate::tenant::{Reach, reach_filter};

/// The number of times that a command is sent again after its reply was lost. Every command here can be sent twice.
const RETRIES: usize = 2;

/// A job, leased to one worker. Dropping it does nothing: the lease lasts until its time is over.
#[derive(Debug, Clone)]
#[must_use = "the job comes back when the lease ends: `ack` it, or `nack` it"]
pub struct Leased<M> {
    /// The job as it was when it was taken.
    pub job: M,
    token: i64,
    attempts: i64,
    worker: String,
    until: bson::DateTime,
}

impl<M> Leased<M> {
    /// The fencing token, greater than that of every earlier lease of this job: with it, a worker's late write can be
    /// refused where a later worker has already written (`only_if(|d| d.fence.lt(token))`).
    #[must_use]
    pub fn token(&self) -> i64 {
        self.token
    }

    /// The number of times that the job has been taken, this time included.
    #[must_use]
    pub fn attempts(&self) -> i64 {
        self.attempts
    }

    /// The worker that has leased the job.
    #[must_use]
    pub fn worker(&self) -> &str {
        &self.worker
    }

    /// The end of the lease, by the server's clock.
    #[must_use]
    pub fn until(&self) -> bson::DateTime {
        self.until
    }
}

impl<M: Queued<DatabaseHandle: Reach>> Leased<M> {
    pub(super) fn read(raw: &RawDocument) -> Result<Self> {
        let job = driver::decode_as::<M, M>(raw)?;
        let state = raw
            .get_document(stored::OWN)
            .and_then(|dn| dn.get_document(stored::key::JOB));
        let number = |name: &str| state.as_ref().ok()?.get_i64(name).ok();
        let state = state.as_ref().ok();
        Ok(Leased {
            job,
            token: number(stored::key::JOB_LEASE).unwrap_or(0),
            attempts: number(stored::key::JOB_TAKEN).unwrap_or(0),
            worker: state
                .and_then(|state| state.get_str(stored::key::JOB_WORKER).ok())
                .unwrap_or_default()
                .to_owned(),
            until: state
                .and_then(|state| state.get_datetime(stored::key::JOB_AT).ok())
                .unwrap_or(bson::DateTime::MAX),
        })
    }

    /// The job, while it has this token.
    fn held(&self) -> Result<Document> {
        let mut filter = by_id::<M>(self.job.document_id())?;
        filter.insert(stored::JOB_LEASE, self.token);
        Ok(filter)
    }

    fn lost(&self, filter: &Document) -> Error {
        Error::LeaseLost {
            of: format!("{} {}", M::model_meta().name, id_in_filter(filter)),
            token: self.token,
        }
    }

    /// Completes the job: deletes it, as [`delete`](crate::MongoModel::delete) does. If nothing refers to jobs, that is one
    /// `delete` with the token in its filter, atomic. A lease that has ended is still good if no other worker has taken the job since.
    ///
    /// If the reply is lost, the delete is sent again. If it then finds no job, this call has deleted it only if no other worker
    /// can have taken it in between: a read must not find the job, and then the server's clock (`hello`) has to show a time before the
    /// end of the lease.
    ///
    /// # Errors
    /// [`Error::LeaseLost`] if the job was given back, taken by another worker or deleted by another program, or if the reply
    /// was lost and the lease had ended when that was discovered: then this call has deleted the job, or a later worker has. Those of
    /// `delete`, or the driver's.
    pub async fn ack(&self, db: &M::DatabaseHandle) -> Result<Deleted> {
        let mut filter = self.held()?;
        filter.insert(stored::JOB_WORKER, &self.worker);
        let (database, filter) = reach_filter::<M>(db, filter);
        let mut lost = false;
        for tries in 0.. {
            let which = Which::One(filter.clone(), Vec::new());
            let mut tell = Tell::default();
            match delete(database, M::model_meta(), which, None, &mut tell).await {
                Err(error) if driver::outcome_unknown(&error) && tries < RETRIES => lost = true,
                Err(Error::NotFound { .. }) if lost && self.has_deleted(db).await? => {
                    return Ok(Deleted {
                        deleted: 1,
                        ..Deleted::default()
                    });
                }
                Err(Error::NotFound { .. }) => break,
                done => return done,
            }
        }
        Err(self.lost(&filter))
    }

    /// True if a delete of this worker, whose reply was lost, has deleted the job: other workers delete a job only after its lease has
    /// ended. The clock is read last: a lease that is valid then was valid when the job was searched for.
    async fn has_deleted(&self, db: &M::DatabaseHandle) -> Result<bool> {
        let (db, filter) = reach_filter::<M>(db, by_id::<M>(self.job.document_id())?);
        Ok(!self.is_there(db, filter).await? && driver::server_time(db).await? < self.until)
    }

    async fn is_there(&self, db: &Database, filter: Document) -> Result<bool> {
        let args = driver::FindArgs {
            projection: Some(doc! { "_id": 1 }),
            ..driver::FindArgs::default()
        };
        let found = driver::first(db, M::model_meta().collection, filter, args, None, |_| {
            Ok(())
        })
        .await?;
        Ok(found.is_some())
    }

    /// Gives the job back undone: it is ready again after this time by the server's clock, or a dead letter if its
    /// attempts are used up. Sends one `update`, atomic, again if its reply is lost.
    ///
    /// # Errors
    /// [`Error::LeaseLost`], or the driver's.
    pub async fn nack(&self, db: &M::DatabaseHandle, delay: Duration) -> Result<()> {
        let then = if delay.is_zero() {
            Bson::from("$$REMOVE")
        } else {
            Bson::Document(after(delay))
        };
        let until = dead_or(row(M::model_meta())?, then);
        // A job that is given back does not record a worker any more.
        let back = vec![
            doc! { "$set": { stored::JOB_AT: until } },
            doc! { "$unset": stored::JOB_WORKER },
        ];
        self.change(db, back, true).await.map(drop)
    }

    /// Lets the lease end this long from now, by the server's clock. Sends one `findAndModify`, atomic, again if its
    /// reply is lost.
    ///
    /// # Errors
    /// [`Error::LeaseLost`], or the driver's.
    pub async fn extend(&mut self, db: &M::DatabaseHandle, lease: Duration) -> Result<()> {
        let longer = vec![doc! { "$set": { stored::JOB_AT: after(lease) } }];
        let now = self.change(db, longer, false).await?;
        let until = now
            .get_document(stored::OWN)
            .and_then(|dn| dn.get_document(stored::key::JOB));
        if let Ok(until) = until.and_then(|state| state.get_datetime(stored::key::JOB_AT)) {
            self.until = *until;
        }
        Ok(())
    }

    /// Changes the queue state of the job, while this worker has the lease. `again`: the same call, whose reply was lost, may have given
    /// the job back already.
    async fn change(
        &self,
        db: &M::DatabaseHandle,
        pipeline: Vec<Document>,
        again: bool,
    ) -> Result<Document> {
        let mut filter = self.held()?;
        filter.insert(stored::JOB_AT, doc! { "$ne": DEAD });
        filter.insert(stored::JOB_WORKER, &self.worker);
        let (db, mut filter) = reach_filter::<M>(db, filter);
        for tries in 0.. {
            let fields = doc! { stored::JOB: 1 };
            let changes: Vec<Bson> = pipeline.iter().cloned().map(Bson::Document).collect();
            let query = filter.clone();
            let sent = driver::change_and_read(
                db,
                M::model_meta().collection,
                query,
                changes,
                fields,
                false,
            );
            match sent.await {
                Err(error) if driver::outcome_unknown(&error) && tries < RETRIES => {
                    if again {
                        filter.remove(stored::JOB_WORKER);
                        filter.remove(stored::JOB_AT);
                    }
                }
                Ok(None) => break,
                Ok(Some(now)) => return Ok(now),
                Err(error) => return Err(error),
            }
        }
        Err(self.lost(&filter))
    }
}
