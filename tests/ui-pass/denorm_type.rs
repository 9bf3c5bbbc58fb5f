// The same type, an alias of it, an `Option` of an `Option`, and the same `with`.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

pub type Name = String;

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "hosts")]
pub struct Host {
    #[serde(rename = "_id")]
    pub id: Id<Host>,
    pub ipaddr: String,
    pub hostname: Option<String>,
    #[serde(with = "bson::serde_helpers::datetime::AsRfc3339String")]
    pub seen: bson::DateTime,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "logmsg")]
pub struct LogMsg {
    #[serde(rename = "_id")]
    pub id: Id<LogMsg>,
    #[parent(Host)]
    pub host: Id<Host>,
    #[denorm(from = Host, field = ipaddr)]
    pub ipaddr: Name,
    #[denorm(from = Host, field = hostname)]
    pub hostname: Option<String>,
    #[serde(with = "bson::serde_helpers::datetime::AsRfc3339String")]
    #[denorm(from = Host, field = seen)]
    pub seen: bson::DateTime,
}

pub fn main() {}
