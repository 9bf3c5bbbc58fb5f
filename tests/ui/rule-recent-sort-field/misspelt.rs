// The last by a field that is not there.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "hosts")]
pub struct Host {
    #[serde(rename = "_id")]
    pub id: Id<Host>,
    #[recent(LogMsg, max = 10, sort = tme, fields(message))]
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
}

fn main() {}
