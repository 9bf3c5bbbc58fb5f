// A document is no date.

use mongo_model::{Id, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct Times {
    pub seen: bson::DateTime,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "sessions")]
pub struct Session {
    #[serde(rename = "_id")]
    pub id: Id<Session>,
    #[index(expire_after = "30d")]
    pub times: Times,
}

fn main() {}
