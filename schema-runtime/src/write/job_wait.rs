//! Jobs that are not ready at once.
//!
//! An `insert` cannot use the server's time. So a job that has to wait is stored with the length of its wait and with a time that
//! is long past; an `update` then computes the real time. If that `update` is not sent, the next [`pop`](crate::Queue::pop) that
//! searches for jobs whose time has come does it instead, and does not return such a job.

use std::time::Duration;

use bson::Bson;
use bson::{DateTime, Document, doc};

use crate::bson_util::number::millis;
use crate::driver::{self, ClientSession, Database, Lasting, UpdateArgs};
use crate::error::Result;
use crate::schema::stored;

/// The largest number of jobs whose wait one command begins.
const TOGETHER: usize = 10_000;

/// The time at which new jobs are ready.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Ready {
    /// Ready this long after the server has stored the jobs.
    After(Duration),
    /// Ready at this time.
    At(DateTime),
}

impl Ready {
    /// The queue state that such a job is stored with.
    pub(crate) fn state(self) -> Document {
        // Queue times start at 0 ms: a pop does not search for earlier ones.
        let first = DateTime::from_millis(0);
        match self {
            Ready::After(wait) => doc! { "at": first, "in": millis(wait) },
            Ready::At(time) => doc! { "at": time.max(first) },
        }
    }
}

/// Two expressions on the queue state of a job: true if its wait has not started, and the time at which a wait from now ends.
pub(crate) fn waits() -> (Document, Document) {
    let wait = stored::value::JOB_WAIT;
    (
        doc! { "$gt": [&wait, Bson::Null] },
        driver::time::from_now(wait.into()),
    )
}

/// The update stage that removes the length of the wait, once the wait has started.
pub(crate) fn without_wait() -> Document {
    doc! { "$unset": stored::JOB_WAIT }
}

/// Starts the wait of these stored jobs now.
pub(crate) async fn start_waits(
    db: &Database,
    collection: &str,
    ids: &[Bson],
    mut session: Option<&mut ClientSession>,
) -> Result<()> {
    let (_, until) = waits();
    for ids in ids.chunks(TOGETHER) {
        let changes = vec![
            doc! { "$set": { stored::JOB_AT: until.clone() } },
            without_wait(),
        ];
        let args = UpdateArgs {
            // A job whose wait has started has its time already.
            filter: doc! { "_id": { "$in": ids }, stored::JOB_WAIT: { "$exists": true } },
            changes: changes.into(),
            many: true,
            upsert: false,
            lasting: Lasting::AsConfigured,
            strings: driver::Strings::Exactly,
        };
        let sent = driver::update(db, collection, args, session.as_deref_mut()).await;
        match (sent, &session) {
            (Err(error), Some(_)) => return Err(error),
            // The jobs are stored; the next pop that searches for jobs whose time has come starts their wait.
            (Err(_), None) => return Ok(()),
            (Ok(_), _) => {}
        }
    }
    Ok(())
}
