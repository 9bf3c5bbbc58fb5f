// A copy beside a reference that may be absent may be absent as well, and is no `Option` of an `Option`.

use mongo_model::{Id, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

pub type MaybeHost = Option<Id<Host>>;

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "hosts")]
pub struct Host {
    #[serde(rename = "_id")]
    pub id: Id<Host>,
    pub ipaddr: String,
    pub hostname: Option<String>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "logmsg")]
pub struct LogMsg {
    #[serde(rename = "_id")]
    pub id: Id<LogMsg>,
    #[parent(Host)]
    pub host: Option<Id<Host>>,
    #[denorm(from = Host, field = ipaddr)]
    pub required: String,
    #[denorm(from = Host, field = ipaddr)]
    pub number: Option<i64>,
    #[denorm(from = Host, field = hostname)]
    pub hostname: String,
    #[denorm(from = Host, field = hostname)]
    pub twice: Option<Option<String>>,
}

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct Line {
    #[parent(Host)]
    pub by_alias: MaybeHost,
    #[denorm(from = Host, field = ipaddr)]
    pub ipaddr: String,
}

fn main() {}
