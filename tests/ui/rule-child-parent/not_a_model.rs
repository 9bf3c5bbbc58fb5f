// Children are documents of their own.

use mongo_model::{Id, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "hosts")]
pub struct Host {
    #[serde(rename = "_id")]
    pub id: Id<Host>,
    #[count(Line)]
    pub messages: i64,
    #[recent(Line, max = 10, sort = time, fields(message))]
    pub lines: Vec<RecentLine>,
}

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct Line {
    pub time: bson::DateTime,
    pub message: String,
}

fn main() {}
