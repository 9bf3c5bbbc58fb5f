// Children that expire are listed, and counted for a reason.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "hosts")]
pub struct Host {
    #[serde(rename = "_id")]
    pub id: Id<Host>,
    #[count(LogMsg)]
    #[model(allow(count_ttl, reason = "all that ever were"))]
    pub messages: i64,
    #[recent(LogMsg, max = 1000, sort = time, fields(time, message))]
    pub logmsgs: Vec<RecentLog>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "logmsgs", index(keys(time), expire_after = 3600))]
pub struct LogMsg {
    #[serde(rename = "_id")]
    pub id: Id<LogMsg>,
    pub time: bson::DateTime,
    pub message: String,
    #[parent(Host)]
    pub host: Id<Host>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "rooms", allow(count_ttl, reason = "all that ever were"))]
pub struct Room {
    #[serde(rename = "_id")]
    pub id: Id<Room>,
    #[count(Call)]
    pub calls: i64,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "calls")]
pub struct Call {
    #[serde(rename = "_id")]
    pub id: Id<Call>,
    #[index(expire_after = 3600)]
    pub at: bson::DateTime,
    #[parent(Room)]
    pub room: Id<Room>,
}

pub fn main() {}
