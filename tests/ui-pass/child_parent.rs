// One parent, or one that is named; a reference in an array does not count.

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
    #[refs(Host)]
    pub others: Vec<Id<Host>>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "rooms")]
pub struct Room {
    #[serde(rename = "_id")]
    pub id: Id<Room>,
    #[count(Call, via = to)]
    pub calls: i64,
    #[recent(Call, max = 10, sort = at, fields(at), via = from)]
    pub last: Vec<LastCall>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "calls")]
pub struct Call {
    #[serde(rename = "_id")]
    pub id: Id<Call>,
    pub at: bson::DateTime,
    #[parent(Room)]
    from: Id<Room>,
    #[parent(Room)]
    to: Option<Id<Room>>,
}

pub fn main() {}
