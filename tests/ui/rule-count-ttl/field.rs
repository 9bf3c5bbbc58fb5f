// Counted children that expire.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "hosts")]
pub struct Host {
    #[serde(rename = "_id")]
    pub id: Id<Host>,
    #[count(LogMsg)]
    pub messages: i64,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "logmsgs")]
pub struct LogMsg {
    #[serde(rename = "_id")]
    pub id: Id<LogMsg>,
    #[index(expire_after = 3600)]
    pub time: bson::DateTime,
    #[parent(Host)]
    pub host: Id<Host>,
}

fn main() {}
