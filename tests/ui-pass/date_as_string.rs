// BSON dates, a helper that stores one, a number, and a string that is never computed with.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

use chrono::{DateTime, NaiveDate, Utc};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "events")]
pub struct Event {
    #[serde(rename = "_id")]
    pub id: Id<Event>,
    pub at: bson::DateTime,
    #[serde(with = "bson::serde_helpers::datetime::FromChrono04DateTime")]
    pub chrono: DateTime<Utc>,
    pub took_millis: i64,
    #[model(allow(date_as_string, reason = "a birthday has no time zone"))]
    pub birthday: NaiveDate,
}

pub fn main() {}
