// Two parents of one model: which of them is copied?

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
    #[parent(Host)]
    pub to: Id<Host>,
    #[denorm(from = Host, field = ipaddr)]
    pub ipaddr: String,
}

fn main() {}
