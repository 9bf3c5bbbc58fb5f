// An expiring index has one field.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "sessions", index(keys(user, seen), expire_after = "30d"))]
pub struct Session {
    #[serde(rename = "_id")]
    pub id: Id<Session>,
    pub seen: bson::DateTime,
    pub user: String,
}

fn main() {}
