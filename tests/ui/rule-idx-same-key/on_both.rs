// Two expiries of one field.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "sessions", index(keys(seen), expire_after = "1h", name = "short"))]
pub struct Session {
    #[serde(rename = "_id")]
    pub id: Id<Session>,
    #[index(expire_after = "30d")]
    pub seen: bson::DateTime,
}

fn main() {}
