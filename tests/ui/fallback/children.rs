// A broken list and a broken child are one mistake each: whoever uses the types sees nothing else.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "hosts")]
pub struct Host {
    #[serde(rename = "_id")]
    pub id: Id<Host>,
    #[recent(LogMsg, sort = time, fields(time, message))]
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

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "rooms")]
pub struct Room {
    #[serde(rename = "_id")]
    pub id: Id<Room>,
    #[refs(Call, inverse = room)]
    pub calls: Vec<Id<Call>>,
    #[count(Call)]
    pub number: i64,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "calls")]
pub struct Call {
    #[serde(rename = "_id")]
    pub id: Id<Call>,
    #[parent]
    pub room: Id<Room>,
}

pub async fn calls(db: &mongo_model::Database, host: Host, room: Id<Room>, call: Id<Call>) {
    let _ = host.logmsgs.iter().map(|log| (log.id, log.time, &log.message)).count();
    let _ = Host::rebuild_logmsgs(db, host.id);
    let _ = Host::recount_messages(db, host.id);
    let _ = Room::remove_call(db, room, call);
    let _ = Room::replace_calls(db, room, [call]);
}

fn main() {}
