//! Follows the writes of other programs, so that copies, lists, counts and two-way references are right after these
//! too. `docs/FOLLOWER.md` has the design.

pub(crate) mod batch;
mod copies;
pub(crate) mod effects;
mod event;
mod fanned;
pub(crate) mod gaps;
pub(crate) mod interest;
pub(crate) mod lead;
pub(crate) mod parents;
pub(crate) mod poll;
pub(crate) mod position;
pub(crate) mod status;

use std::convert::Infallible;
use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bson::Timestamp;
use futures::future::{Either, select};
use tokio::sync::{oneshot, watch};

pub use self::position::{Gap, Scope};
pub use self::status::{Role, Status};

use self::interest::Interests;
use self::position::Pen;
use crate::driver::capabilities::require_asked;
use crate::driver::{self, Database, stream};
use crate::error::server::Feature;
use crate::error::{Error, Result};
use crate::graph::edges::Edges;
use crate::graph::relations::Relations;
use crate::lock::{Lock, LockLease};
use crate::schema::model::Model;

/// The shortest and the longest pause before a lost connection is tried again.
const PAUSES: (Duration, Duration) = (Duration::from_millis(50), Duration::from_secs(5));

/// Follows the writes of other programs: a job in another language, a shell, an older service. After each such write it
/// corrects the copies, lists, counts and two-way references that depend on it, and applies the delete rule to
/// references to deleted documents, with the flags and steps of the library's own writes. It recognises writes by this
/// library and ignores them.
///
/// It misses nothing. It stores its position in the stream after the effects, so a follower that was killed continues
/// there. If the server's oplog no longer reaches back to that position, the gap is recorded durably, the stream
/// continues, and all models are compared and corrected as [`repair`](crate::repair) does. The same happens when an
/// existing database is followed for the first time, except that references that lead nowhere then stay.
///
/// Any number of programs may run one. The one that holds the lock `follower` works; the others wait, and one takes
/// over a few seconds after it ends.
///
/// ```no_run
/// # async fn example(db: mongo_model::Database) -> mongo_model::Result<()> {
/// use mongo_model::Follower;
///
/// let follower = Follower::new(&db);
/// let running = follower.clone();
/// tokio::spawn(async move { running.run().await });
/// println!("{}", follower.status());
/// # Ok(())
/// # }
/// ```
///
/// Change streams need a replica set; on a standalone server use [`poll`](Follower::poll). Other programs must still
/// not change `_dn` and `_r`, or insert documents with them.
#[derive(Clone)]
pub struct Follower {
    db: Database,
    settings: Settings,
    shared: Shared,
}

/// The options of a follower.
#[derive(Debug, Clone)]
pub(crate) struct Settings {
    pub(crate) name: String,
    pub(crate) lease: Duration,
    /// The largest number of events in a reply.
    pub(crate) batch: u32,
    /// The longest time that the server waits for the first event of a reply.
    pub(crate) wait: Duration,
    /// Collections, each with the field that holds the time of the last change.
    pub(crate) times: Vec<(&'static str, String)>,
}

/// The status, shared with everyone who looks at it.
#[derive(Debug, Clone)]
pub(crate) struct Shared(Arc<watch::Sender<Status>>);

impl Shared {
    pub(crate) fn change(&self, change: impl FnOnce(&mut Status)) {
        self.0.send_modify(change);
    }
}

impl fmt::Debug for Follower {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Follower")
            .field("settings", &self.settings)
            .finish_non_exhaustive()
    }
}

impl Follower {
    /// Makes a follower of all models that are linked into the program. Sends nothing.
    #[must_use]
    pub fn new(db: &Database) -> Self {
        Follower {
            db: db.clone(),
            settings: Settings {
                name: "follower".to_owned(),
                lease: Duration::from_secs(6),
                batch: 1_000,
                wait: Duration::from_millis(500),
                times: Vec::new(),
            },
            shared: Shared(Arc::new(watch::Sender::new(Status::default()))),
        }
    }

    /// Sets the name of the position and of the lock, by default `follower`. Programs with different models need
    /// different names.
    #[must_use]
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.settings.name = name.into();
        self
    }

    /// Sets how long the lock is held without being extended, by default 6 seconds. A standby takes over after that.
    #[must_use]
    pub fn lease(mut self, lease: Duration) -> Self {
        self.settings.lease = lease;
        self
    }

    /// Sets how many events are handled together at most, by default 1,000. This bounds the use of memory. A program that takes the lead
    /// begins with 16, and doubles the number after each reply.
    #[must_use]
    pub fn batch(mut self, events: u32) -> Self {
        self.settings.batch = events.max(1);
        self
    }

    /// Returns the current status.
    #[must_use]
    pub fn status(&self) -> Status {
        self.shared.0.borrow().clone()
    }

    /// Waits until the status meets a condition.
    pub async fn wait_until(&self, mut condition: impl FnMut(&Status) -> bool) -> Status {
        let mut watch = self.shared.0.subscribe();
        loop {
            let now = watch.borrow_and_update().clone();
            if condition(&now) {
                return now;
            }
            // The sender lives as long as this follower.
            if watch.changed().await.is_err() {
                return now;
            }
        }
    }

    /// Waits until everything up to this cluster time, for example the `operationTime` of a reply, has been followed
    /// and no gap is left.
    pub async fn has_followed(&self, time: Timestamp) -> Status {
        self.wait_until(|status| status.has_followed(time)).await
    }

    /// Follows for as long as it is awaited. Connection errors, elections and lost positions in the stream appear in
    /// the [status](Self::status), and do not end it. Dropping the future at any point does no harm.
    ///
    /// Idle, it sends a `getMore` every half second, an `update` of its position every five, and a `findAndModify` of its lock every two.
    /// When there is work, it sends the commands of the protocol's steps in bulk, for a batch of up to 1,000 events.
    ///
    /// # Errors
    /// [`Error::Unsupported`] on a standalone server, which has no change streams, and [`Error::CopyCircle`]. In both
    /// cases nothing was written.
    pub async fn run(&self) -> Result<Infallible> {
        self.forever(None).await
    }

    /// Tells which field of `M` holds the time of the last change. Other programs must set it with every write, and an index must start
    /// with it. [`poll`](Self::poll) then reads only newer documents most of the time. After a gap, [`run`](Self::run) begins with the
    /// sources that changed in it, before it compares everything. May be called for several models.
    #[must_use]
    pub fn changed_at<M: Model>(mut self, field: impl Into<String>) -> Self {
        let collection = M::model_meta().collection;
        self.settings.times.push((collection, field.into()));
        self
    }

    /// Follows without a change stream, for a standalone server, as long as it is awaited. At the given interval it
    /// compares the documents whose [time field](Self::changed_at) is newer than the last look, less a minute, with
    /// what depends on them. Without such a field, and with it once an hour, it compares all documents as
    /// [`repair`](crate::repair) does: only that finds what other programs deleted.
    ///
    /// # Errors
    /// [`Error::CopyCircle`]. Other errors appear in the [status](Self::status), and do not end it.
    pub async fn poll(&self, every: Duration) -> Result<Infallible> {
        self.forever(Some(every)).await
    }

    async fn forever(&self, every: Option<Duration>) -> Result<Infallible> {
        Edges::get().in_no_circle()?;
        let interests = Interests::among(Relations::get());
        let mut pause = PAUSES.0;
        loop {
            let began = Instant::now();
            let problem = match self.term(&interests, every).await {
                Err(error @ Error::Unsupported { .. }) => return Err(error),
                Err(error) => error.to_string(),
                Ok(()) => "the term ended".to_owned(),
            };
            self.shared.change(|status| {
                status.role = Role::Standby;
                status.note(problem);
            });
            if began.elapsed() > PAUSES.1 {
                pause = PAUSES.0;
            }
            tokio::time::sleep(pause).await;
            pause = (pause * 2).min(PAUSES.1);
        }
    }

    /// Waits for the lock, and leads until something ends that.
    async fn term(&self, interests: &Interests, every: Option<Duration>) -> Result<()> {
        if every.is_none() {
            // A term that the server refuses is tried again for ever, so this does not rest on memory.
            require_asked(&self.db, Feature::ChangeStreams).await?;
        }
        self.shared.change(|status| status.role = Role::Standby);
        let lock = Lock::new(&self.settings.name);
        let held = lock.acquire(&self.db, self.settings.lease).await?;
        let fence = held.token();
        let mut beat = Beat::start(&self.db, held, self.settings.lease);
        let pen = Pen {
            db: self.db.clone(),
            name: self.settings.name.clone(),
            fence,
        };
        let lead = async {
            let (settings, shared) = (&self.settings, &self.shared);
            match every {
                Some(every) => poll::lead(pen, interests, settings, shared, every).await,
                None => {
                    // The time is read while the lock is held: an earlier one may be before a position that the last holder stored.
                    let deployment = stream::deployment(&self.db).await?;
                    lead::lead(pen, interests, settings, shared, deployment).await
                }
            }
        };
        match select(Box::pin(lead), &mut beat.lost).await {
            Either::Left((led, _)) => led,
            Either::Right(_) => Err(Error::LeaseLost {
                of: format!("the lock `{}`", self.settings.name),
                token: fence,
            }),
        }
    }
}

/// Extends a lock until it is lost, and gives it back when this value is dropped.
struct Beat {
    lost: oneshot::Receiver<()>,
    _stop: oneshot::Sender<Infallible>,
}

impl Beat {
    fn start(db: &Database, mut held: LockLease, lease: Duration) -> Beat {
        let (send, lost) = oneshot::channel();
        let (_stop, mut stopped) = oneshot::channel();
        let db = db.clone();
        tokio::spawn(async move {
            let mut extended = Instant::now();
            loop {
                let pause = Box::pin(tokio::time::sleep(lease / 3));
                if let Either::Right(_) = select(pause, &mut stopped).await {
                    // If this fails, the lock ends by itself.
                    let _ = held.release(&db).await;
                    return;
                }
                match held.extend(&db, lease).await {
                    Ok(()) => extended = Instant::now(),
                    Err(error) if driver::is_batch_wide(&error) && extended.elapsed() < lease => {}
                    Err(_) => break,
                }
            }
            let _ = send.send(());
        });
        Beat { lost, _stop }
    }
}
