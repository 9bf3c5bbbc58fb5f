// The pattern states the condition of the index.

use bson::DateTime;
use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(
    collection = "messages",
    index(keys(host, -time), partial(open = true)),
    access(open(host, only(open = true), sort = -time))
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
