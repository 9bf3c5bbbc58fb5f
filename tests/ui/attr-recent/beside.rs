// One field is one thing.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "hosts")]
pub struct Host {
    #[serde(rename = "_id")]
    pub id: Id<Host>,
    #[embed(max = 100)]
    #[recent(LogMsg, max = 1000, sort = time, fields(time, message))]
    pub logmsgs: Vec<RecentLog>,
    #[refs(LogMsg)]
    #[recent(LogMsg, max = 10, sort = time, fields(time))]
    pub refs: Vec<Other>,
    #[count(LogMsg)]
    #[recent(LogMsg, max = 10, sort = time, fields(time))]
    pub both: Vec<Both>,
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
}

fn main() {}
