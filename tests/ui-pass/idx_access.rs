// The pattern of the golden, with the index that its message names.

use bson::DateTime;
use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(
    collection = "messages",
    index(keys(host, -time)),
    access(recent(host, sort = -time, limit = 5000))
)]
pub struct Message {
    #[serde(rename = "_id")]
    pub id: Id<Message>,
    pub host: String,
    pub level: i32,
    pub open: bool,
    pub time: DateTime,
}

pub fn main() {
    let _ = |db: &mongo_model::Database| drop(Message::recent(db, "web-1"));
}
