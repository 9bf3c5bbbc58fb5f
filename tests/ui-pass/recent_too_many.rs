// A few thousand, and more for a reason.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "hosts")]
pub struct Host {
    #[serde(rename = "_id")]
    pub id: Id<Host>,
    #[recent(LogMsg, max = 5000, sort = time, fields(message))]
    pub a: Vec<RecentA>,
    #[recent(LogMsg, max = 6000, sort = time, fields(message))]
    #[model(allow(recent_too_many, reason = "the dashboard draws them all"))]
    pub b: Vec<RecentB>,
    #[recent(LogMsg, max = 6000, sort = time, fields(message))]
    #[model(allow(recent_too_many, reason = "the dashboard draws them all"))]
    pub c: Vec<RecentC>,
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
