// A field beside the parent, renamed or not, ascending or descending.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "hosts")]
pub struct Host {
    #[serde(rename = "_id")]
    pub id: Id<Host>,
    pub ipaddr: String,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "logmsg")]
pub struct LogMsg {
    #[serde(rename = "_id")]
    pub id: Id<LogMsg>,
    #[parent(Host, sort = -time)]
    pub newest: Id<Host>,
    #[parent(Host, sort = seq)]
    pub in_order: Id<Host>,
    pub time: bson::DateTime,
    #[serde(rename = "n")]
    pub seq: i64,
}

pub fn main() {}
