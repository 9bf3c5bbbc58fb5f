//! The time by which a call ends, whatever it has done by then.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use mongodb::error::ErrorKind;
use tokio::time::Instant;

use crate::error::{Error, Result};

/// The server's error for a command that has taken its `maxTimeMS`.
const MAX_TIME_EXPIRED: i32 = 50;

/// The shortest time that a command is given: the server takes 0 for no limit.
const SHORTEST: Duration = Duration::from_millis(1);

/// The end of the time that a call may take.
#[derive(Debug)]
pub(crate) struct Deadline {
    at: Instant,
    limit: Duration,
    /// True once a command that writes has been sent.
    has_written: AtomicBool,
    /// The deadline of the call that this one is part of.
    outer: Option<Arc<Deadline>>,
}

impl Deadline {
    /// A deadline that is this far away, of a call inside of another one with a deadline.
    pub(super) fn new(limit: Duration, outer: Option<Arc<Deadline>>) -> Arc<Self> {
        let now = Instant::now();
        Arc::new(Deadline {
            at: now
                .checked_add(limit)
                .unwrap_or(now + Duration::from_secs(86_400 * 365)),
            limit,
            has_written: AtomicBool::new(false),
            outer,
        })
    }

    /// The result of a call that ends by then.
    pub(super) async fn end<T, F>(&self, call: Pin<Box<F>>) -> Result<T>
    where
        F: Future<Output = Result<T>> + ?Sized,
    {
        match tokio::time::timeout_at(self.at, call).await {
            Err(_) => Err(self.exceeded()),
            Ok(Err(error)) if self.has_expired(&error) => Err(self.exceeded()),
            Ok(done) => done,
        }
    }

    fn exceeded(&self) -> Error {
        Error::DeadlineExceeded {
            limit: self.limit,
            may_have_written: self.has_written.load(Ordering::Relaxed),
        }
    }

    /// True if the server has given up at the deadline, a moment before the client would have.
    fn has_expired(&self, error: &Error) -> bool {
        const EARLY: Duration = Duration::from_millis(20);
        let Error::Driver(error) = error else {
            return false;
        };
        let code = match &*error.kind {
            ErrorKind::Command(error) => error.code,
            _ => return false,
        };
        code == MAX_TIME_EXPIRED && Instant::now() + EARLY >= self.at
    }

    /// The time that is left, also to the calls that this one is part of.
    pub(super) fn left(&self) -> Duration {
        let own = self.at.saturating_duration_since(Instant::now());
        let left = match &self.outer {
            Some(outer) => own.min(outer.left()),
            None => own,
        };
        left.max(SHORTEST)
    }

    /// Notes that the call sends a command that writes.
    pub(super) fn note_write(&self) {
        self.has_written.store(true, Ordering::Relaxed);
        if let Some(outer) = &self.outer {
            outer.note_write();
        }
    }
}
