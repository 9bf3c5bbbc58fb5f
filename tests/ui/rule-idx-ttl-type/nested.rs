// A field of an embedded document.

use mongo_model::{Id, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct Times {
    pub seen: bson::DateTime,
    pub zone: String,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "sessions", index(keys(times.zone), expire_after = "30d"))]
pub struct Session {
    #[serde(rename = "_id")]
    pub id: Id<Session>,
    pub times: Times,
}

fn main() {}
