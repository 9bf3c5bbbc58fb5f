// Counted children that expire by a date in an embedded document.

use mongo_model::{Id, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "hosts")]
pub struct Host {
    #[serde(rename = "_id")]
    pub id: Id<Host>,
    #[count(LogMsg)]
    pub messages: i64,
}

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct Seen {
    #[index(expire_after = 3600)]
    pub at: bson::DateTime,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "logmsgs")]
pub struct LogMsg {
    #[serde(rename = "_id")]
    pub id: Id<LogMsg>,
    pub time: bson::DateTime,
    pub message: String,
    #[parent(Host)]
    pub host: Id<Host>,
    pub seen: Seen,
}

fn main() {}
