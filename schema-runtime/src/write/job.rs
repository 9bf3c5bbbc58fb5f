//! Jobs that are not ready at once.
//!
//! An `insert` cannot ask for the server's time. A job that waits for a while is stored with the length of its wait and with a time
//! that is long past; an `update` then makes a time of the two. Where that is not sent, the next [`pop`](crate::Queue::pop) that looks
//! for jobs whose time has come does the same, and does not take it for one of them.

use std::time::Duration;

#[cfg(feature = "driver")]
use bson::Bson;
use bson::{DateTime, Document, doc};

use crate::bson_util::number::millis;
#[cfg(feature = "driver")]
use crate::driver::{Lasting, UpdateArgs};
#[cfg(feature = "driver")]
use crate::error::Result;
use crate::schema::model::Model;
use crate::schema::queue::Queued;
#[cfg(feature = "driver")]
use crate::schema::queue::UNTIL;
use crate::write::store::Insert;
#[cfg(feature = "driver")]
use crate::{ClientSession, Database, driver};

/// How many jobs begin to wait by one command.
#[cfg(feature = "driver")]
const TOGETHER: usize = 10_000;

/// How long a job waits, in milliseconds, until the server has said until when that is.
const WAIT: &str = "_dn.q.in";

/// When new jobs are ready.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Ready {
    /// So long after the server has them.
    After(Duration),
    /// Then.
    At(DateTime),
}

impl Ready {
    /// What the queue says of such a job when it is stored.
    pub(crate) fn state(self) -> Document {
        // No time is before the first one that is looked for.
        let first = DateTime::from_millis(0);
        match self {
            Ready::After(wait) => doc! { "at": first, "in": millis(wait) },
            Ready::At(time) => doc! { "at": time.max(first) },
        }
    }
}

impl<M: Model> Insert<'_, M> {
    /// The jobs are ready this long after they were stored, by the server's clock; [`pop`](crate::Queue::pop) does not give them to
    /// anybody before. At the latest they are found when nothing else is ready. A wait of nothing is none.
    ///
    /// After the insert one `update` per 10,000 jobs is sent, which asks the server for the time. Where that fails the jobs are
    /// stored all the same, and wait from when a `pop` looks for jobs whose time has come. In a transaction the time is that of
    /// this call, not of the commit.
    pub fn after(mut self, wait: Duration) -> Self
    where
        M: Queued,
    {
        self.ready = (!wait.is_zero()).then_some(Ready::After(wait));
        self
    }

    /// The jobs are ready at this time, as the server's clock shows it; one that is past is now. Sends what an insert sends.
    pub fn at(mut self, time: DateTime) -> Self
    where
        M: Queued,
    {
        self.ready = Some(Ready::At(time));
        self
    }
}

/// Of what the queue says of a job: whether its wait has yet to begin, and until when it then lasts.
#[cfg(feature = "driver")]
pub(crate) fn waits() -> (Document, Document) {
    let wait = format!("${WAIT}");
    (
        doc! { "$gt": [&wait, Bson::Null] },
        driver::time::from_now(wait.into()),
    )
}

/// What forgets how long it is.
#[cfg(feature = "driver")]
pub(crate) fn begun() -> Document {
    doc! { "$unset": WAIT }
}

/// The wait of these jobs, which are stored, begins now.
#[cfg(feature = "driver")]
pub(crate) async fn begin(
    db: &Database,
    collection: &str,
    ids: &[Bson],
    mut session: Option<&mut ClientSession>,
) -> Result<()> {
    let (_, until) = waits();
    for ids in ids.chunks(TOGETHER) {
        let changes = vec![doc! { "$set": { UNTIL: until.clone() } }, begun()];
        let args = UpdateArgs {
            // One whose wait has begun has a time already.
            filter: doc! { "_id": { "$in": ids }, WAIT: { "$exists": true } },
            changes: changes.into(),
            many: true,
            upsert: false,
            lasting: Lasting::AsConfigured,
            strings: driver::Strings::Exactly,
        };
        let sent = driver::update(db, collection, args, session.as_deref_mut()).await;
        match (sent, &session) {
            (Err(error), Some(_)) => return Err(error),
            // They are stored; whoever looks for jobs whose time has come does it.
            (Err(_), None) => return Ok(()),
            (Ok(_), _) => {}
        }
    }
    Ok(())
}
