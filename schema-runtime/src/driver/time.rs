//! Times by the server's clock.

use std::time::Duration;

use bson::{Bson, DateTime, Document, doc};
use mongodb::Database;

use super::primary;
use crate::bson_util::number::millis;
use crate::error::Result;

/// The expression for the time at this distance from now, by the server's clock.
pub(crate) fn after(wait: Duration) -> Document {
    from_now(millis(wait).into())
}

/// The expression for the time so many milliseconds from now, by the server's clock.
pub(crate) fn from_now(amount: Bson) -> Document {
    doc! { "$dateAdd": { "startDate": "$$NOW", "unit": "millisecond", "amount": amount } }
}

pub(crate) fn one_more(field: &str) -> Document {
    doc! { "$add": [{ "$ifNull": [field, 0_i64] }, 1_i64] }
}

/// The time by the primary's clock.
pub(crate) async fn server_time(db: &Database) -> Result<DateTime> {
    let hello = db.run_command(doc! { "hello": 1 });
    let reply = hello.selection_criteria(primary()).await?;
    // A server that does not give its time leaves every lease in doubt.
    Ok(reply
        .get_datetime("localTime")
        .copied()
        .unwrap_or(DateTime::MAX))
}
