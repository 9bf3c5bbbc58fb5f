// `chrono` is stored as a string.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

use chrono::{DateTime, NaiveDate, Utc};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "events")]
pub struct Event {
    #[serde(rename = "_id")]
    pub id: Id<Event>,
    pub at: DateTime<Utc>,
    pub local: DateTime<chrono::FixedOffset>,
    pub day: NaiveDate,
    #[embed(max = 10)]
    pub all: Vec<DateTime<Utc>>,
}

fn main() {}
