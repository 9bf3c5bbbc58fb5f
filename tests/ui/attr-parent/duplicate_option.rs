// `sort` twice.

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
    #[parent(Host, sort = -time, sort = time)]
    pub host: Id<Host>,
    pub time: i64,
}

fn main() {}
