// `sort` names a field, with `-` for descending.

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
    #[parent(Host, sort = "time")]
    pub string: Id<Host>,
    #[parent(Host, sort = time.at)]
    pub path: Id<Host>,
    #[parent(Host, sort(time, seq))]
    pub list: Id<Host>,
    #[parent(Host, sort)]
    pub bare: Id<Host>,
    pub time: i64,
}

fn main() {}
