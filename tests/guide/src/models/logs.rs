//! Hosts and their messages: one-to-squillions.

use bson::DateTime;
use mongo_model::{BucketId, Id, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

/// A host that logs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "guide_hosts")]
pub struct Host {
    #[serde(rename = "_id")]
    pub id: Id<Host>,
    pub name: String,
    #[index(unique)]
    pub ipaddr: String,
    #[recent(LogMsg, max = 100, sort = time, fields(time, message))]
    pub logmsgs: Vec<RecentLog>,
    #[count(LogMsg)]
    pub messages: i64,
}

/// A message of a host.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "guide_logmsg")]
pub struct LogMsg {
    #[serde(rename = "_id")]
    pub id: Id<LogMsg>,
    #[immutable]
    pub time: DateTime,
    pub message: String,
    #[parent(Host, sort = -time, on_delete = cascade)]
    pub host: Id<Host>,
    #[denorm(from = Host, field = ipaddr)]
    pub ipaddr: String,
}

/// A line of a log that is stored in buckets.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
pub struct LogLine {
    pub id: i64,
    pub message: String,
}

/// Fifty lines of one host.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "guide_log_pages", bucket(lines))]
pub struct LogPage {
    #[serde(rename = "_id")]
    pub id: BucketId<Host>,
    #[parent(Host, on_delete = cascade)]
    pub host: Id<Host>,
    pub count: i64,
    #[embed(max = 50)]
    pub lines: Vec<LogLine>,
}

/// A host without messages.
#[must_use]
pub fn host(name: &str, ipaddr: &str) -> Host {
    Host {
        id: Id::new(),
        name: name.to_owned(),
        ipaddr: ipaddr.to_owned(),
        logmsgs: Vec::new(),
        messages: 0,
    }
}

/// A message of this host, so many milliseconds after 1970.
#[must_use]
pub fn message(host: &Host, time: i64, message: &str) -> LogMsg {
    LogMsg {
        id: Id::new(),
        time: DateTime::from_millis(time),
        message: message.to_owned(),
        host: host.id,
        ipaddr: host.ipaddr.clone(),
    }
}
