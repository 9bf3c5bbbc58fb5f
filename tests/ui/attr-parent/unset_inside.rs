// A required field of an element cannot be unset: the element can go.

use mongo_model::{Id, MongoEmbed, MongoModel};
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
    #[embed(max = 10)]
    pub lines: Vec<Line>,
}

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct Line {
    #[parent(Host, on_delete = unset)]
    pub host: Id<Host>,
}

fn main() {}
