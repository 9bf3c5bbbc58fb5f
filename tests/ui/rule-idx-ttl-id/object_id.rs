// Documents do not expire by their `_id`, whatever time is in it.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "sessions")]
pub struct Session {
    #[serde(rename = "_id")]
    #[index(expire_after = "30d")]
    pub id: Id<Session>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "days", index(keys(id), expire_after = 86400))]
pub struct Day {
    #[serde(rename = "_id")]
    pub id: bson::DateTime,
}

fn main() {}
