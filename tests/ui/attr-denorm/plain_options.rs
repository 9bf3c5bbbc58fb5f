// What belongs to a generated entry means nothing on a plain copy.

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
    #[parent(Host)]
    pub host: Id<Host>,
    #[denorm(from = Host, field = ipaddr, into = address)]
    pub into: String,
    #[denorm(from = Host, field = ipaddr, derive(Debug))]
    pub derive: String,
}

fn main() {}
