// The key of references, and of references with copies, is a field of the target.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "hosts")]
pub struct Host {
    #[serde(rename = "_id")]
    pub id: Id<Host>,
    #[index(unique)]
    pub ipaddr: String,
    pub name: String,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "logmsg")]
pub struct LogMsg {
    #[serde(rename = "_id")]
    pub id: Id<LogMsg>,
    #[refs(Host, key = ipadr)]
    pub hosts: Vec<String>,
    #[parent(Host, key = ipaddrs)]
    #[denorm(from = Host, field = name)]
    pub host: HostRef,
}

fn main() {}
