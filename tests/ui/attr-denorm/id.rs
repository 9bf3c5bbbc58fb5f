// The stored name of an entry's id.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "hosts")]
pub struct Host {
    #[serde(rename = "_id")]
    pub id: Id<Host>,
    pub ipaddr: String,
    pub host_name: String,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "logmsg")]
#[serde(rename_all = "camelCase")]
pub struct LogMsg {
    #[serde(rename = "_id")]
    pub id: Id<LogMsg>,
    #[parent(Host)]
    pub host: Id<Host>,
    #[denorm(from = Host, field = ipaddr, via = host, id = "_id")]
    pub plain: String,
    #[parent(Host)]
    #[denorm(from = Host, field = ipaddr, id = "host.id")]
    pub dotted: Dotted,
    #[parent(Host)]
    #[denorm(from = Host, field = ipaddr, id = "_r")]
    pub reserved: Reserved,
    #[parent(Host)]
    #[denorm(from = Host, field = host_name, id = "hostName")]
    pub copied: Copied,
    #[parent(Host)]
    #[denorm(from = Host, field = host_name, id = "_id")]
    #[denorm(from = Host, field = ipaddr, id = "hostId")]
    pub two: Two,
    #[parent(Host)]
    #[denorm(from = Host, field = host_name, id = _id)]
    pub word: Word,
}

fn main() {}
