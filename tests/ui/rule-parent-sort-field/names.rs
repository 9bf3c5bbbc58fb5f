// The order of the children is by a stored field beside the parent.

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
    #[parent(Host, sort = -tiem)]
    pub near: Id<Host>,
    #[parent(Host, sort = -created)]
    pub far: Id<Host>,
    #[parent(Host, sort = itself)]
    pub itself: Id<Host>,
    #[parent(Host, sort = seen)]
    pub skipped: Id<Host>,
    pub time: i64,
    #[serde(skip)]
    pub seen: i64,
}

fn main() {}
