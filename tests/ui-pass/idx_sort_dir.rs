// All directions turned: the index is read from its other end.

use bson::DateTime;
use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(
    collection = "messages",
    index(keys(host, -time, level)),
    access(oldest(host, sort(time, -level)))
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
