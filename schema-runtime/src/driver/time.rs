//! Times by the server's clock.

use crate::bson_util::number::millis;
use bson::doc;
use bson::{Bson, Document};
use std::time::Duration;

/// So long from now, by the server's clock.
pub(crate) fn after(wait: Duration) -> Document {
    from_now(millis(wait).into())
}

/// So many milliseconds from now, by the server's clock.
pub(crate) fn from_now(amount: Bson) -> Document {
    doc! { "$dateAdd": { "startDate": "$$NOW", "unit": "millisecond", "amount": amount } }
}

pub(crate) fn one_more(field: &str) -> Document {
    doc! { "$add": [{ "$ifNull": [field, 0_i64] }, 1_i64] }
}
