// Two indexes that differ in their expiry.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "sessions")]
pub struct Session {
    #[serde(rename = "_id")]
    pub id: Id<Session>,
    #[index]
    #[index(expire_after = "30d")]
    pub seen: bson::DateTime,
}

fn main() {}
