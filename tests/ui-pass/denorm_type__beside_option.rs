// Beside a reference that may be absent: an `Option` of the source's type, under an alias too, and an `Option` as it is.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

pub type Name = Option<String>;
pub type MaybeHost = Option<Id<Host>>;

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "hosts")]
pub struct Host {
    #[serde(rename = "_id")]
    pub id: Id<Host>,
    pub ipaddr: String,
    pub hostname: Option<String>,
    #[embed(max = 3)]
    pub tags: Vec<String>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "logmsg")]
pub struct LogMsg {
    #[serde(rename = "_id")]
    pub id: Id<LogMsg>,
    #[parent(Host)]
    pub host: Option<Id<Host>>,
    #[denorm(from = Host, field = ipaddr, via = host)]
    pub ipaddr: Name,
    #[denorm(from = Host, field = hostname, via = host)]
    pub hostname: Option<String>,
    #[parent(Host)]
    pub by_alias: MaybeHost,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[denorm(from = Host, field = ipaddr, via = by_alias)]
    pub other: Option<String>,
}

pub fn main() {}
