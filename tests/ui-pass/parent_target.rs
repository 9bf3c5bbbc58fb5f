// A model, also the model itself, also from an embedded document.

use mongo_model::{Id, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "hosts")]
pub struct Host {
    #[serde(rename = "_id")]
    pub id: Id<Host>,
    pub ipaddr: String,
}

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct Source {
    #[parent(Host)]
    pub host: Id<Host>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "logmsg")]
pub struct LogMsg {
    #[serde(rename = "_id")]
    pub id: Id<LogMsg>,
    #[parent(Host)]
    pub host: Id<Host>,
    #[parent(LogMsg)]
    pub answers: Option<Id<LogMsg>>,
    pub source: Source,
}

pub fn main() {}
