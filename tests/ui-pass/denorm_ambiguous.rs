// `via` says which.

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
#[model(collection = "connections")]
pub struct Connection {
    #[serde(rename = "_id")]
    pub id: Id<Connection>,
    #[parent(Host)]
    pub from: Id<Host>,
    #[denorm(from = Host, field = ipaddr, via = from)]
    pub from_ipaddr: String,
    #[parent(Host)]
    pub to: Id<Host>,
    #[denorm(from = Host, field = ipaddr, via = to)]
    pub to_ipaddr: String,
}

pub fn main() {}
