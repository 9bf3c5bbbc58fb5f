// Arrays of an entry that the list generates.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "hosts")]
pub struct Host {
    #[serde(rename = "_id")]
    pub id: Id<Host>,
    #[recent(LogMsg, max = 10, sort = time, fields(message))]
    pub a: Vec<RecentA>,
    #[recent(LogMsg, max = 10, sort = -time, fields(message), derive(Debug, Clone))]
    pub b: std::collections::VecDeque<RecentB>,
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

pub fn main() {}
