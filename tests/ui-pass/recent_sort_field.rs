// By a date, by the id, by a private field, by one that may be absent.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "hosts")]
pub struct Host {
    #[serde(rename = "_id")]
    pub id: Id<Host>,
    #[recent(LogMsg, max = 10, sort = time, fields(message))]
    pub a: Vec<RecentA>,
    #[recent(LogMsg, max = 10, sort = -id, fields(message))]
    pub b: Vec<RecentB>,
    #[recent(LogMsg, max = 10, sort = rank, fields(message))]
    pub c: Vec<RecentC>,
    #[recent(LogMsg, max = 10, sort = seen, fields(message))]
    pub d: Vec<RecentD>,
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
    rank: i64,
    pub seen: Option<bson::DateTime>,
}

pub fn main() {}
