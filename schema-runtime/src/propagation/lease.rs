//! The time that a reservation on a parent waits for its child.

use std::time::{Duration, Instant};

use bson::DateTime;

use crate::driver::{self, Database};
use crate::error::Result;

/// The time that a reservation waits, by the server's clock.
const LEASE: Duration = Duration::from_secs(60);

/// The limit of age: reservations that were made before this time have waited too long.
pub(crate) async fn stale_before(db: &Database) -> Result<DateTime> {
    let now = driver::server_time(db).await?.timestamp_millis();
    let lease = i64::try_from(LEASE.as_millis()).unwrap_or(i64::MAX);
    Ok(DateTime::from_millis(now.saturating_sub(lease)))
}

/// True if another program may have released the reservations of this time, or be about to release them.
pub(crate) async fn is_late(since: Instant) -> bool {
    since.elapsed() > LEASE / 2 || is_late_in_test().await.is_err()
}

/// Returns an error if a test says that the time of a reservation has passed.
async fn is_late_in_test() -> Result<()> {
    fault!("reservation_late");
    Ok(())
}
