// A field inside an embedded document that changes often, and one that changes often itself.

use mongo_model::{Id, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct State {
    pub mode: String,
}

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct Place {
    pub city: String,
    #[volatile]
    pub seat: i64,
    #[model(writes_per_read = 0.5)]
    pub desk: i64,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "hosts")]
pub struct Host {
    #[serde(rename = "_id")]
    pub id: Id<Host>,
    #[volatile]
    pub state: State,
    pub place: Place,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "logmsg")]
pub struct LogMsg {
    #[serde(rename = "_id")]
    pub id: Id<LogMsg>,
    #[parent(Host)]
    pub host: Id<Host>,
    #[denorm(from = Host, field = state.mode)]
    pub mode: String,
    #[denorm(from = Host, field = place.seat)]
    pub seat: i64,
    #[denorm(from = Host, field = place.desk)]
    pub desk: i64,
}

fn main() {}
