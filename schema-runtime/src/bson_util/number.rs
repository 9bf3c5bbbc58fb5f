//! Integers of any width, and the digits of decimals.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use bson::{Bson, Decimal128};

use super::exact::Exact;

/// A number of either width.
pub(crate) fn integer(value: Option<&Bson>) -> Option<i64> {
    match value? {
        Bson::Int32(n) => Some(i64::from(*n)),
        Bson::Int64(n) => Some(*n),
        _ => None,
    }
}

/// A revision that no counter reaches: microseconds since 1970. It is for a document whose last revision may be unknown, so that copies of
/// an earlier document with the same key are never newer.
pub(crate) fn far_revision() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(i64::MAX / 2, |since| {
        i64::try_from(since.as_micros()).unwrap_or(i64::MAX / 2)
    })
}

/// The coefficient of a decimal and the power of ten that it is multiplied by; `None` for NaN and infinities.
pub(crate) fn decimal_parts(number: Decimal128) -> Option<(i128, i32)> {
    match number.into() {
        Exact::Finite {
            coefficient,
            exponent,
        } => Some((coefficient, exponent)),
        Exact::Nan | Exact::Infinite { .. } => None,
    }
}

/// A wait in milliseconds.
pub(crate) fn millis(wait: Duration) -> i64 {
    let amount = i64::try_from(wait.as_millis()).unwrap_or(i64::MAX);
    // The server refuses a date that it cannot show; this is a wait of a thousand years.
    amount.min(1_000 * 365 * 24 * 60 * 60 * 1_000)
}
