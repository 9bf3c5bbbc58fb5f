//! Integers of any width.

use std::time::Duration;

use bson::Bson;

/// A number of either width.
pub(crate) fn integer(value: Option<&Bson>) -> Option<i64> {
    match value? {
        Bson::Int32(n) => Some(i64::from(*n)),
        Bson::Int64(n) => Some(*n),
        _ => None,
    }
}

/// A wait in milliseconds.
pub(crate) fn millis(wait: Duration) -> i64 {
    let amount = i64::try_from(wait.as_millis()).unwrap_or(i64::MAX);
    // The server refuses a date that it cannot show; this is a wait of a thousand years.
    amount.min(1_000 * 365 * 24 * 60 * 60 * 1_000)
}
