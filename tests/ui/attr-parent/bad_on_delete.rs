// `on_delete` is one of four words.

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
    #[parent(Host, on_delete = cascde)]
    pub near: Id<Host>,
    #[parent(Host, on_delete = pull)]
    pub of_refs: Id<Host>,
    #[parent(Host, on_delete = set_null)]
    pub far: Id<Host>,
    #[parent(Host, on_delete = "cascade")]
    pub string: Id<Host>,
}

fn main() {}
