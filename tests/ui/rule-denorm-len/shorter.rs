// A copy that declares less than its source may hold.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "hosts")]
pub struct Host {
    #[serde(rename = "_id")]
    pub id: Id<Host>,
    #[model(max_len = 100)]
    pub name: String,
    pub address: String,
    #[embed(max = 5)]
    pub tags: Vec<String>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "logmsg")]
pub struct LogMsg {
    #[serde(rename = "_id")]
    pub id: Id<LogMsg>,
    #[parent(Host)]
    pub host: Id<Host>,
    #[denorm(from = Host, field = name)]
    #[model(max_len = 40)]
    pub host_name: String,
    #[denorm(from = Host, field = address)]
    #[model(max_len = 40)]
    pub host_address: String,
    #[denorm(from = Host, field = tags)]
    #[embed(max = 3)]
    pub host_tags: Vec<String>,
}

fn main() {}
