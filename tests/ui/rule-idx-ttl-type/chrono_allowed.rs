// `chrono` is stored as a string: allowed, but not for an expiry.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};
use chrono::{DateTime, Utc};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "sessions")]
pub struct Session {
    #[serde(rename = "_id")]
    pub id: Id<Session>,
    #[index(expire_after = "30d")]
    #[model(allow(date_as_string, reason = "read by another program"))]
    pub seen: DateTime<Utc>,
    #[index(expire_after = "30d")]
    #[model(allow(date_as_string, reason = "read by another program"))]
    pub begun: std::time::SystemTime,
}

fn main() {}
