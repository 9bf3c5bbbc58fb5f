// What follows from children has no setter.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "hosts")]
pub struct Host {
    #[serde(rename = "_id")]
    pub id: Id<Host>,
    #[recent(LogMsg, max = 1000, sort = time, fields(time, message))]
    pub logmsgs: Vec<RecentLog>,
    #[count(LogMsg)]
    pub messages: i64,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "logmsgs")]
pub struct LogMsg {
    #[serde(rename = "_id")]
    pub id: Id<LogMsg>,
    pub time: bson::DateTime,
    pub message: String,
    #[parent(Host)]
    pub host: Id<Host>,
}

pub async fn calls(db: &mongo_model::Database, host: Id<Host>) {
    let _ = Host::update(db, host).inc(|h| h.messages, 1);
    let _ = Host::update(db, host).set(|h| h.messages, 0);
    let _ = Host::update(db, host).set(|h| h.logmsgs, Vec::new());
    let _ = Host::scan(db, |h| h.messages.gt(5));
}

fn main() {}
