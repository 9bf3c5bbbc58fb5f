// Typed and bare ids, optional ones, and ids of several parts.

use mongo_model::{Id, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "hosts")]
pub struct Host {
    #[serde(rename = "_id")]
    pub id: Id<Host>,
    pub ipaddr: String,
}

#[derive(PartialEq, Eq, Clone, Serialize, Deserialize, MongoEmbed)]
pub struct Key {
    pub country: String,
    pub number: i64,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "plates")]
pub struct Plate {
    #[serde(rename = "_id")]
    pub key: Key,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "logmsg")]
pub struct LogMsg {
    #[serde(rename = "_id")]
    pub id: Id<LogMsg>,
    #[parent(Host)]
    pub host: Id<Host>,
    #[parent(Host)]
    pub second: Option<Id<Host>>,
    #[parent(Plate)]
    pub plate: Key,
}

pub fn main() {}
