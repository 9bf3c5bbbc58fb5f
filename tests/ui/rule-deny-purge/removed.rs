// A model whose deletes remove documents.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "hosts")]
pub struct Host {
    #[serde(rename = "_id")]
    pub id: Id<Host>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "logmsgs")]
pub struct LogMsg {
    #[serde(rename = "_id")]
    pub id: Id<LogMsg>,
    #[parent(Host, on_delete = deny_purge)]
    pub host: Id<Host>,
    #[refs(Host, max = 9, on_delete = deny_purge)]
    pub also: Vec<Id<Host>>,
}

fn main() {}
