//! Integers of any width, and the digits of decimals.

use std::time::Duration;

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
