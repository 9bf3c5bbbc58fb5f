// Equality, sort, range; and a range over what is sorted by.

use bson::DateTime;
use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(
    collection = "messages",
    index(keys(host, -time, level)),
    access(severe(host, range = level, sort = -time), since(host, range = time, sort = -time))
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
    let _ = |db: &mongo_model::Database| drop(Message::severe(db, "web-1", 3..));
    let _ = |db: &mongo_model::Database| drop(Message::since(db, "web-1", ..=DateTime::now()));
}
