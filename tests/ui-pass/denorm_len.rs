// Copies are bounded as their sources are, and may say so, or say more.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "hosts")]
pub struct Host {
    #[serde(rename = "_id")]
    pub id: Id<Host>,
    #[model(max_len = 100)]
    pub name: String,
    #[embed(max = 5)]
    #[model(max_len = 10)]
    pub tags: Vec<String>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "logmsg")]
pub struct LogMsg {
    #[serde(rename = "_id")]
    pub id: Id<LogMsg>,
    #[parent(Host)]
    pub host: Id<Host>,
    #[denorm(from = Host, field = name, via = host)]
    #[model(max_len = 100)]
    pub host_name: String,
    #[denorm(from = Host, field = tags, via = host)]
    pub host_tags: Vec<String>,
    #[parent(Host)]
    #[denorm(from = Host, fields(name, tags))]
    pub other: LogMsgOther,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "said")]
pub struct Said {
    #[serde(rename = "_id")]
    pub id: Id<Said>,
    #[parent(LogMsg)]
    pub of: Id<LogMsg>,
    // A copy of a copy, of what that declares itself.
    #[denorm(from = LogMsg, field = host_name)]
    #[model(max_len = 120)]
    pub host_name: String,
}

const _: () = assert!(matches!(LogMsg::MAX_BSON_SIZE, Some(_)));
const _: () = assert!(matches!(Said::MAX_BSON_SIZE, Some(_)));

pub fn main() {}
