// An override, with its reason.

use bson::DateTime;
use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(
    collection = "messages",
    access(recent(host, sort = -time)),
    allow(idx_access, reason = "a few hundred documents")
)]
pub struct Message {
    #[serde(rename = "_id")]
    pub id: Id<Message>,
    pub host: String,
    pub level: i32,
    pub open: bool,
    pub time: DateTime,
}

pub fn main() {}
