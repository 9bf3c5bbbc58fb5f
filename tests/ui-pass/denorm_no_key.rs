// The reference beside the copy, before or after it, also in a variant and an embedded document.

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
    #[denorm(from = Host, field = ipaddr)]
    pub ipaddr: String,
    #[parent(Host)]
    pub host: Id<Host>,
}

#[derive(Serialize, Deserialize, MongoEmbed)]
#[serde(tag = "kind")]
pub enum Origin {
    Local,
    Remote {
        #[parent(Host)]
        host: Id<Host>,
        #[denorm(from = Host, field = ipaddr)]
        ipaddr: String,
    },
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "logmsg")]
pub struct LogMsg {
    #[serde(rename = "_id")]
    pub id: Id<LogMsg>,
    #[parent(Host)]
    pub host: Id<Host>,
    #[denorm(from = Host, field = ipaddr)]
    pub ipaddr: String,
    pub source: Source,
    pub origin: Origin,
}

pub fn main() {}
