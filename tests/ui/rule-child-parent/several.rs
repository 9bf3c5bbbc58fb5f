// Two fields refer to the parent.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "hosts")]
pub struct Host {
    #[serde(rename = "_id")]
    pub id: Id<Host>,
    #[count(LogMsg)]
    pub messages: i64,
    #[recent(LogMsg, max = 1000, sort = time, fields(time, message))]
    pub logmsgs: Vec<RecentLog>,
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
    #[parent(Host)]
    pub other: Id<Host>,
}

fn main() {}
