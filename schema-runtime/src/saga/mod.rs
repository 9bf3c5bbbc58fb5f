//! Compensating transactions: changes of several documents of which either all are made, or those that were made are
//! undone, by another program if this one dies in the middle.
//!
//! On a replica set a [`transaction`](crate::transaction()) is better: no reader ever sees half of it. A saga also
//! works on a standalone server, and over any length of time, but other programs see its steps so far, including those
//! that it undoes later.
//!
//! A step is an update of a document with a `#[version]`, together with the update that takes it back, or an insert of a document or a
//! job. All are written to a journal before the first of them is sent. A step marks its document in the same atomic write, so that
//! it is made once and undone once, however often it is sent; the version in its filter prevents a late update from being
//! made after its saga has ended, and the end of the lease, in the same command, a late insert.
//!
//! ```
//! use mongo_model::{Database, SagaOutcome, MongoModel, Result, Saga};
//! use serde::{Deserialize, Serialize};
//!
//! #[derive(Serialize, Deserialize, MongoModel)]
//! #[model(collection = "accounts")]
//! struct Account {
//!     #[serde(rename = "_id")]
//!     id: i64,
//!     balance: i64,
//!     #[version]
//!     version: i64,
//! }
//!
//! async fn transfer(db: &Database, from: i64, to: i64, sum: i64) -> Result<bool> {
//!     let add = |id, sum: i64| Account::update(db, id).inc(|a| a.balance, sum);
//!     let ended = Saga::new(db, "transfer")
//!         .step(add(from, -sum).only_if(|a| a.balance.gte(sum)), add(from, sum))
//!         .step(add(to, sum), add(to, -sum))
//!         .run()
//!         .await?;
//!     Ok(matches!(ended, SagaOutcome::Done))
//! }
//! ```

mod insert;
mod journal;
mod run;
mod step;

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use bson::oid::ObjectId;
use bson::{Document, doc};

use self::journal::{Journal, State};
use self::run::Run;
use self::step::{Action, Change, NewDocument, Step, own_document};
use crate::bson_util::stored_id::id_of_document;
use crate::driver::capabilities::require;
use crate::driver::{self, Database, FindArgs, Reads};
use crate::error::server::Feature;
use crate::error::without_model::require_without_model;
use crate::error::{Error, Result};
use crate::maintenance::sweep::Sweeper;
use crate::schema::model::Model;
use crate::schema::stamps::Stamps;
use crate::schema::stored;
use crate::schema::version::{Version, Versioned};
use crate::write::change::Update;
use crate::write::change::only_if::UpdateIf;
use crate::write::job_wait::Ready;
use crate::write::store::Insert;

/// The collection of journals that name no other.
pub const COLLECTION: &str = stored::SAGAS;

/// The default lease of a saga: the time after its last heartbeat during which only its owner may run it.
const LEASE: Duration = Duration::from_secs(30);

type StepFuture<'a> = Pin<Box<dyn Future<Output = Result<Vec<Step>>> + Send + 'a>>;

/// A compensating transaction, about to be run.
#[must_use = "nothing is sent before it is run"]
pub struct Saga<'a> {
    db: &'a Database,
    name: String,
    collection: String,
    lease: Duration,
    steps: Vec<StepFuture<'a>>,
}

impl fmt::Debug for Saga<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Saga")
            .field("name", &self.name)
            .field("steps", &self.steps.len())
            .finish_non_exhaustive()
    }
}

/// The outcome of a saga.
#[derive(Debug)]
#[must_use = "its steps may have been undone"]
pub enum SagaOutcome {
    /// Every step was made.
    Done,
    /// A step could not be made, and the steps before it were undone, last first.
    Undone {
        /// The number of that step, counted from 0.
        step: usize,
        /// The error that stopped the step: also [`Error::Invalid`] or [`Error::Overflow`] if a result would have broken a check or left the
        /// range of its type. `None` if its condition did not hold, or an array had no room.
        why: Option<Box<Error>>,
    },
}

/// The result of [`resume`].
#[derive(Debug, Default)]
pub struct Resumed {
    /// Sagas all of whose steps have now been made, by the `_id` of their journal.
    pub done: Vec<ObjectId>,
    /// Sagas that were undone, or of which no step had been sent.
    pub undone: Vec<ObjectId>,
    /// Sagas that could not be ended, by the `_id` of their journal, and why. They are tried again by the next call after their lease.
    pub failed: Vec<(ObjectId, Error)>,
}

impl<'a> Saga<'a> {
    /// A saga without steps; its journal stores the name as a description. Sends nothing.
    pub fn new(db: &'a Database, name: impl Into<String>) -> Self {
        Saga {
            db,
            name: name.into(),
            collection: COLLECTION.to_owned(),
            lease: LEASE,
            steps: Vec::new(),
        }
    }

    /// Stores its journal in this collection rather than in `_dn.sagas`. It holds no documents of a model.
    pub fn collection(mut self, name: impl Into<String>) -> Self {
        self.collection = name.into();
        self
    }

    /// Sets how long after its last heartbeat no other program [resumes](resume) the saga, by the server's clock: 30 seconds by
    /// default. It sends a heartbeat before every step.
    pub fn lease(mut self, lease: Duration) -> Self {
        self.lease = lease;
        self
    }

    /// Adds a change, which may have a condition (`only_if`), and the update of the same document that takes it back.
    /// The latter has no condition: nothing may stand in its way. Only if another program has changed a number so that the undo would
    /// leave the range of its type, or break a check, the saga stops, and `resume` tries again.
    pub fn step<M: Versioned>(
        mut self,
        change: impl Into<UpdateIf<'a, M>>,
        undo: Update<'a, M>,
    ) -> Self {
        let (change, undo) = (change.into(), UpdateIf::from(undo));
        self.steps.push(Box::pin(async move {
            let meta = M::model_meta();
            let unfit = |what: &str| Error::Impossible {
                what: format!("a step of a saga that changes a {}: {what}", meta.name),
            };
            let version = Version::of(meta).ok_or_else(|| unfit("it has no version"))?;
            let (change, undo) = (change.statement().await?, undo.statement().await?);
            let own = own_document(Some(meta), &change.id, &change.filter);
            let undone = own_document(Some(meta), &undo.id, &undo.filter);
            if undone
                .iter()
                .any(|(field, value)| own.get(field) != Some(value))
            {
                return Err(unfit("its undo changes another document"));
            }
            if undo.adds {
                return Err(unfit(
                    "its undo adds to an array, which may be full by then",
                ));
            }
            Ok(vec![Step {
                mark: ObjectId::new(),
                meta: Some(meta),
                collection: meta.collection.to_owned(),
                id: change.id,
                own,
                action: Action::Update(Box::new(Change {
                    version,
                    filter: change.filter,
                    operators: change.operators,
                    undo: undo.operators,
                    undo_fits: undo.fits,
                    ranges: (change.asked, change.ranges),
                })),
            }])
        }));
        self
    }

    /// Adds an insert: `Order::insert(&db, &order)`, or a job, `Mail::queue(&db).push(&mail)`; of many, each document is a step. Its undo
    /// deletes the document, if no other program has changed it. No worker has the job before the saga has ended.
    ///
    /// The model refers to no document that a write has to look at, and no other model refers to it: nothing has to follow the insert.
    pub fn insert<M: Model, N: 'static>(mut self, documents: Insert<'a, M, N>) -> Self {
        self.steps.push(Box::pin(async move {
            let meta = M::model_meta();
            let stamps = Stamps::of(meta);
            let times = stamps.iter().flat_map(Stamps::times).map(str::to_owned);
            let times: Vec<String> = times.collect();
            let (documents, ready) = documents.statement()?;
            let queue = meta
                .queue
                .map(|_| ready.map(Ready::state).unwrap_or_default());
            let step = |document: Document| {
                let new = NewDocument {
                    document,
                    times: times.clone(),
                    queue: queue.clone(),
                };
                Step {
                    mark: ObjectId::new(),
                    meta: Some(meta),
                    collection: meta.collection.to_owned(),
                    id: id_of_document(&new.document),
                    own: new.filter_by_id(Some(meta)),
                    action: Action::Insert(new),
                }
            };
            Ok(documents.into_iter().map(step).collect())
        }));
        self
    }

    /// Makes every step in order. If one cannot be made, because its document does not exist, or exists already, its condition does not
    /// hold, an array has no room, the server refuses it or other writers change the document before each of 64 attempts
    /// ([`Error::Unsettled`]; it waits up to 32 ms between two of them), the steps before it are undone, last first.
    ///
    /// Sends one `findAndModify` that inserts the journal, three commands per change (a look at the document, one at the journal, the
    /// `update`), two per insert (one at the journal, an upsert that matches nothing), one per step to take its mark off, two to end the
    /// journal; all of them durable. Where a change was not made, one `find` for each range that it has to keep says why. A future that is dropped, or an error, leaves the journal behind: [`resume`] continues it, and deletes
    /// a journal of which no step was sent. If
    /// the reply to one of these commands is lost, the command is sent again and recognises its own effect: a saga that
    /// another program has ended meanwhile is not made a second time. If the reply to an insert was lost and the saga has to be undone,
    /// it stops: `resume` undoes it after its lease, when no copy of the insert can arrive any more.
    ///
    /// # Errors
    /// [`Error::LeaseLost`] if it took so long that another program has resumed it; [`Error::Impossible`] for an update that cannot be
    /// a step, and for a journal in the collection of a model (nothing was sent); [`Error::SagaStopped`] with any other error after the
    /// journal was stored: `resume` ends the saga, so it must not be run again; or the driver's: no step was sent, and none will be.
    pub async fn run(self) -> Result<SagaOutcome> {
        let mut steps = Vec::with_capacity(self.steps.len());
        for step in self.steps {
            steps.extend(step.await?);
        }
        if steps.is_empty() {
            return Ok(SagaOutcome::Done);
        }
        require_without_model(&self.collection, "a journal")?;
        require(self.db, Feature::Sagas).await?;
        let journal =
            Journal::insert(self.db, &self.collection, &self.name, self.lease, &steps).await?;
        let run = Run {
            db: self.db,
            journal,
            steps,
            has_lost_insert: false,
        };
        let journal = run.journal.id;
        run.on().await.map_err(|error| match error {
            lost @ Error::LeaseLost { .. } => lost,
            error => Error::SagaStopped {
                name: self.name,
                journal,
                source: Box::new(error),
            },
        })
    }
}

/// Ends every saga of the collection `_dn.sagas` that no program runs any more: one whose last heartbeat is older than its lease. Makes
/// its remaining steps, or undoes the saga if one of them cannot be made or the undoing had begun; does not run a saga of which no
/// step was sent. Call it when a program starts, and regularly after that, or let a [`Sweeper`](crate::Sweeper::sagas) do so.
///
/// Sends one `findAndModify` per saga and one that finds no more; then what [`run`](Saga::run) sends. There are few
/// journals, so no index is needed.
///
/// # Errors
/// The driver's, from the search for journals; errors of a single saga are in [`Resumed::failed`].
pub async fn resume(db: &Database) -> Result<Resumed> {
    resume_in(db, COLLECTION).await
}

/// As [`resume`], for the journals of [another collection](Saga::collection).
///
/// # Errors
/// As [`resume`]; [`Error::Impossible`] if a model is stored in that collection (nothing was sent).
pub async fn resume_in(db: &Database, collection: &str) -> Result<Resumed> {
    require_without_model(collection, "a journal")?;
    let mut out = Resumed::default();
    while let Some((journal, steps)) = Journal::take_over(db, collection).await? {
        let id = journal.id;
        let steps = match steps {
            Ok(steps) => steps,
            Err(error) => {
                out.failed.push((id, error));
                continue;
            }
        };
        if journal.state == State::New {
            // No step was sent, and none can be: its first owner finds that it has lost the lease.
            match journal.delete(db).await {
                Ok(()) => out.undone.push(id),
                Err(error) => out.failed.push((id, error)),
            }
            continue;
        }
        let run = Run {
            db,
            journal,
            steps,
            has_lost_insert: false,
        };
        match run.on().await {
            Ok(SagaOutcome::Done) => out.done.push(id),
            Ok(SagaOutcome::Undone { .. }) => out.undone.push(id),
            Err(error) => out.failed.push((id, error)),
        }
    }
    Ok(out)
}

impl Sweeper {
    /// Also [resumes](resume) the sagas that no program runs any more. Each look sends one more `findAndModify`, and the commands of the
    /// sagas that it finds.
    #[must_use]
    pub fn sagas(self) -> Self {
        self.sagas_in(COLLECTION)
    }

    /// As [`sagas`](Self::sagas), for the journals of [another collection](Saga::collection).
    #[must_use]
    pub fn sagas_in(self, collection: impl Into<String>) -> Self {
        self.also(
            |db, collection| Box::pin(resume_all(db, collection)),
            collection.into(),
        )
    }
}

/// True if a program runs a saga, or has left one.
pub(crate) async fn has_journal(db: &Database, collection: &str) -> Result<bool> {
    let args = FindArgs {
        reads: Reads::FromPrimary,
        projection: Some(doc! { "_id": 1 }),
        ..FindArgs::default()
    };
    let found = driver::first(db, collection, doc! {}, args, None, |_| Ok(()));
    Ok(found.await?.is_some())
}

/// Gives how many sagas were ended. One that fails does not hold up the others.
pub(crate) async fn resume_all(db: &Database, collection: &str) -> Result<u64> {
    let mut resumed = resume_in(db, collection).await?;
    match resumed.failed.is_empty() {
        true => Ok((resumed.done.len() + resumed.undone.len()) as u64),
        false => Err(resumed.failed.swap_remove(0).1),
    }
}
