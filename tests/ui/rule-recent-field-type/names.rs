// A list that gives its entry no name.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "hosts")]
pub struct Host {
    #[serde(rename = "_id")]
    pub id: Id<Host>,
    #[recent(LogMsg, max = 1000, sort = time, fields(time, message))]
    pub a: RecentA,
    #[recent(LogMsg, max = 1000, sort = time, fields(time, message))]
    pub b: Vec<LogMsg>,
    #[recent(LogMsg, max = 1000, sort = time, fields(time, message))]
    pub c: Vec<String>,
    #[recent(LogMsg, max = 1000, sort = time, fields(time, message))]
    pub d: std::collections::HashSet<RecentD>,
    #[recent(LogMsg, max = 1000, sort = time, fields(time, message))]
    pub e: Vec<logs::RecentE>,
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
