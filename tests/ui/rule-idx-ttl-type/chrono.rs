// `chrono` is stored as a string: with or without an index it is one mistake.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};
use chrono::{DateTime, Utc};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "sessions")]
pub struct Session {
    #[serde(rename = "_id")]
    pub id: Id<Session>,
    #[index(expire_after = "30d")]
    pub seen: DateTime<Utc>,
}

fn main() {}
