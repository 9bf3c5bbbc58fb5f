// One parent on an array, a set and a map.

use std::collections::{HashMap, HashSet};

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
    pub hosts: Vec<Id<Host>>,
    #[parent(Host)]
    pub set: HashSet<Id<Host>>,
    #[parent(Host)]
    pub map: HashMap<String, Id<Host>>,
}

fn main() {}
