//! Times by the server's clock.

use std::time::Duration;

use bson::{Bson, Document, doc};

use crate::bson_util::number::millis;

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
