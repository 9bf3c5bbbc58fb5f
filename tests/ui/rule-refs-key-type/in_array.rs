// The references have not the type of their key, also through an alias.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "hosts")]
pub struct Host {
    #[serde(rename = "_id")]
    pub id: Id<Host>,
    #[index(unique)]
    pub ipaddr: String,
    #[index(unique)]
    pub number: i64,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "logmsg")]
pub struct LogMsg {
    #[serde(rename = "_id")]
    pub id: Id<LogMsg>,
    #[refs(Host, key = ipaddr)]
    pub hosts: Vec<i32>,
    #[refs(Host, key = number)]
    pub through_alias: Numbers,
}

type Numbers = Vec<i32>;

fn main() {}
