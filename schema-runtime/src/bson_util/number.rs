//! Integers of any width, and the digits of decimals.

use std::time::Duration;

use bson::{Bson, Decimal128};

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
    let text = number.to_string();
    let (mantissa, exponent) = text.split_once('E').unwrap_or((&text, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let coefficient = format!("{whole}{fraction}").parse().ok()?;
    let exponent: i32 = exponent.parse().ok()?;
    Some((coefficient, exponent - i32::try_from(fraction.len()).ok()?))
}

/// A wait in milliseconds.
pub(crate) fn millis(wait: Duration) -> i64 {
    let amount = i64::try_from(wait.as_millis()).unwrap_or(i64::MAX);
    // The server refuses a date that it cannot show; this is a wait of a thousand years.
    amount.min(1_000 * 365 * 24 * 60 * 60 * 1_000)
}
