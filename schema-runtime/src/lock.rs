//! Locks: each is one document, and is held for a time by the server's clock.
//!
//! A lock keeps programs from doing the same thing at once, as far as a lease can: a holder that pauses for longer than its lease does
//! not know that another program holds the lock by then. A write that must be safe even then uses the lock's fencing
//! token: it increases with every holder, forever, and a document that has seen a greater token refuses a smaller one:
//!
//! ```
//! use mongo_model::{Database, Lock, MongoModel, Result};
//! use serde::{Deserialize, Serialize};
//! use std::time::Duration;
//!
//! #[derive(Serialize, Deserialize, MongoModel)]
//! #[model(collection = "reports")]
//! struct Report {
//!     #[serde(rename = "_id")]
//!     day: String,
//!     total: i64,
//!     fence: i64,
//! }
//!
//! async fn nightly(db: &Database) -> Result<()> {
//!     let Some(held) = Lock::new("nightly").try_acquire(db, Duration::from_secs(30)).await? else {
//!         return Ok(()); // another program is at it
//!     };
//!     let written = Report::update(db, "2024-01-01")
//!         .only_if(|r| r.fence.lte(held.token()))
//!         .set(|r| r.fence, held.token())
//!         .set(|r| r.total, 42)
//!         .await?;
//!     assert!(written.is_done(), "a later holder was here");
//!     held.release(db).await
//! }
//! ```

use std::time::Duration;

use bson::oid::ObjectId;
use bson::{Bson, DateTime, Document, doc};

use crate::bson_util::number::integer;
use crate::driver::attempts::random_below;
use crate::driver::capabilities::require;
use crate::driver::time::after;
use crate::driver::{self, Database, Lasting, UpdateArgs};
use crate::error::server::Feature;
use crate::error::without_model::require_without_model;
use crate::error::{Error, Result};
use crate::schema::stored;
use crate::tenant::{Tenant, TenantId};

/// The number of times that a command is sent again after its reply was lost, or after two programs created the document at once.
const RETRIES: usize = 3;

/// The shortest and the longest pause between two attempts on a lock that another program holds.
const PAUSES: (u64, u64) = (10, 250);

/// A lock: its name, and the collection of its document.
#[derive(Debug, Clone)]
pub struct Lock {
    name: String,
    /// The tenant that has the name to itself.
    tenant: Option<Bson>,
    collection: String,
}

/// A lock that is held until its lease ends. Dropping it does nothing: no other program gets the lock before that, unless it is
/// [released](LockLease::release).
#[derive(Debug)]
#[must_use = "nobody else has the lock until its lease ends: `release` it"]
pub struct LockLease {
    lock: Lock,
    holder: ObjectId,
    token: i64,
    until: DateTime,
}

impl Lock {
    /// The lock of this name, a document of the collection `_dn.locks`. Sends nothing.
    pub fn new(name: impl Into<String>) -> Self {
        Lock {
            name: name.into(),
            tenant: None,
            collection: stored::LOCKS.to_owned(),
        }
    }

    /// Stores the lock in another collection, which holds no documents of a model.
    #[must_use]
    pub fn collection(mut self, name: impl Into<String>) -> Self {
        self.collection = name.into();
        self
    }

    /// Makes this the tenant's own lock of the name: other tenants have other locks. With a `Tenant` across tenants it is the lock that all
    /// share, as without this call.
    ///
    /// ```no_run
    /// # use mongo_model::*; use std::time::Duration;
    /// # async fn example(tenant: &Tenant<i64>) -> Result<()> {
    /// let lock = Lock::new("invoices").of(tenant);
    /// let held = lock.acquire(tenant.database(), Duration::from_secs(30)).await?;
    /// # held.release(tenant.database()).await }
    /// ```
    #[must_use]
    pub fn of<T: TenantId>(mut self, tenant: &Tenant<T>) -> Self {
        self.tenant = tenant.stored_id().cloned();
        self
    }

    fn document_id(&self) -> Bson {
        match &self.tenant {
            Some(tenant) => Bson::Document(doc! { "tenant": tenant, "name": &self.name }),
            None => Bson::from(&self.name),
        }
    }

    /// Takes the lock for this long by the server's clock, if it is free; `None` if another holder has it. Sends one `findAndModify` (with
    /// `upsert`), atomic and durable; if its reply is lost, the command is sent again and finds the lock that it took.
    ///
    /// # Errors
    /// [`Error::Impossible`] if a model is stored in the collection of the lock (nothing was sent). The driver's.
    pub async fn try_acquire(&self, db: &Database, lease: Duration) -> Result<Option<LockLease>> {
        Ok(self.ask(db, lease).await?.ok())
    }

    /// Acquires the lock, and waits until it is free. Repeats the command of `try_acquire` after pauses of at most 250 ms: waiting programs
    /// get the lock in no particular order. A future that is dropped while it waits holds nothing, or the lock until its lease ends.
    ///
    /// # Errors
    /// As [`try_acquire`](Self::try_acquire).
    pub async fn acquire(&self, db: &Database, lease: Duration) -> Result<LockLease> {
        loop {
            match self.ask(db, lease).await? {
                Ok(held) => return Ok(held),
                Err(left) => tokio::time::sleep(pause(left)).await,
            }
        }
    }

    /// Tries once: gives the lock, or how many milliseconds another holder has left.
    async fn ask(
        &self,
        db: &Database,
        lease: Duration,
    ) -> Result<std::result::Result<LockLease, i64>> {
        require_without_model(&self.collection, "a lock")?;
        require(db, Feature::Locks).await?;
        let holder = ObjectId::new();
        let free = doc! { "$or": [
            { "$lte": [{ "$ifNull": ["$until", DateTime::from_millis(0)] }, "$$NOW"] },
            { "$eq": ["$holder", holder] },
        ] };
        let if_free = |then: Document, field: &str| doc! { "$cond": ["$free", then, field] };
        let next = doc! { "$add": [{ "$ifNull": ["$token", 0_i64] }, 1_i64] };
        let pipeline = vec![
            doc! { "$set": { "free": free } },
            doc! { "$set": {
                "token": if_free(next, "$token"),
                "until": if_free(after(lease), "$until"),
                "holder": if_free(doc! { "$literal": holder }, "$holder"),
            } },
            doc! { "$unset": "free" },
        ];
        let fields = doc! {
            "token": 1, "until": 1, "holder": 1, "left": { "$subtract": ["$until", "$$NOW"] },
        };
        let (found, _) = self.change(db, doc! {}, pipeline, fields, true).await?;
        let found = found.unwrap_or_default();
        if found.get_object_id("holder").ok() != Some(holder) {
            return Ok(Err(found.get_i64("left").unwrap_or(0)));
        }
        Ok(Ok(LockLease {
            lock: self.clone(),
            holder,
            token: integer(found.get("token")).unwrap_or(0),
            until: found
                .get_datetime("until")
                .copied()
                .unwrap_or(DateTime::MAX),
        }))
    }

    /// Changes the lock's document, if it meets the condition `beside`. Also gives true if a reply to this was lost.
    async fn change(
        &self,
        db: &Database,
        beside: Document,
        pipeline: Vec<Document>,
        fields: Document,
        upsert: bool,
    ) -> Result<(Option<Document>, bool)> {
        let mut filter = doc! { "_id": { "$eq": self.document_id() } };
        filter.extend(beside);
        let (mut tries, mut lost) = (0, false);
        loop {
            let args = UpdateArgs {
                filter: filter.clone(),
                changes: pipeline.clone().into(),
                many: false,
                upsert,
                lasting: Lasting::Durable,
                strings: driver::Strings::Exactly,
            };
            let sent = driver::update_and_read(db, &self.collection, args, fields.clone(), None);
            match sent.await {
                Err(error)
                    if tries < RETRIES
                        && (driver::outcome_unknown(&error) || driver::is_duplicate(&error)) =>
                {
                    tries += 1;
                    lost |= driver::outcome_unknown(&error);
                }
                done => return Ok((done?, lost)),
            }
        }
    }
}

impl LockLease {
    /// The fencing token: greater than the token of every earlier holder of this lock.
    #[must_use]
    pub fn token(&self) -> i64 {
        self.token
    }

    /// The end of the lease, by the server's clock.
    #[must_use]
    pub fn until(&self) -> DateTime {
        self.until
    }

    fn mine(&self) -> Document {
        doc! { "holder": self.holder, "token": self.token }
    }

    fn lost(&self) -> Error {
        Error::LeaseLost {
            of: format!("the lock `{}`", self.lock.name),
            token: self.token,
        }
    }

    /// Lets the lease end this long from now, by the server's clock; the token stays the same. A lease that has ended continues if no
    /// other holder has taken the lock. Sends one `findAndModify`, atomic and durable, again if its reply is lost.
    ///
    /// # Errors
    /// [`Error::LeaseLost`] if another holder has taken the lock since, or the driver's.
    pub async fn extend(&mut self, db: &Database, lease: Duration) -> Result<()> {
        let longer = vec![doc! { "$set": { "until": after(lease) } }];
        let fields = doc! { "until": 1 };
        let (now, _) = self
            .lock
            .change(db, self.mine(), longer, fields, false)
            .await?;
        let now = now.ok_or_else(|| self.lost())?;
        if let Ok(until) = now.get_datetime("until") {
            self.until = *until;
        }
        Ok(())
    }

    /// Releases the lock: the next program that tries gets it. The document stays, because it stores the token. Sends one
    /// `findAndModify`, atomic and durable, again if its reply is lost; if another holder has the lock by then, the
    /// server's clock (`hello`) shows whether that is because this call has released it.
    ///
    /// # Errors
    /// [`Error::LeaseLost`] if another holder has taken the lock since: then the work under it may not have been exclusive. The same
    /// if the reply was lost, another holder has the lock and the lease would have ended by now: the order of the two is unknown. Or
    /// the driver's.
    pub async fn release(self, db: &Database) -> Result<()> {
        // The document still names the holder, so that this call recognises its own write if the reply was lost.
        let free = vec![doc! { "$set": { "until": DateTime::from_millis(0) } }];
        let fields = doc! { "_id": 1 };
        let (now, lost) = self
            .lock
            .change(db, self.mine(), free, fields, false)
            .await?;
        // Before the lease ends another takes the lock only because this call has given it back.
        if now.is_some() || lost && driver::server_time(db).await? < self.until {
            return Ok(());
        }
        Err(self.lost())
    }
}

/// The pause before the next attempt on a lock that another holder has for this many milliseconds. Spreads the waiting programs over time.
fn pause(left: i64) -> Duration {
    let (shortest, longest) = PAUSES;
    let left = u64::try_from(left).unwrap_or(0).clamp(shortest, longest);
    Duration::from_millis(shortest + random_below(left))
}
