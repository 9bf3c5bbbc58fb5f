// Under a stored name of its own, through an alias, wherever it stands.

use mongo_model::{BucketId, Id, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "hosts")]
pub struct Host {
    #[serde(rename = "_id")]
    pub id: Id<Host>,
}

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct LogLine {
    pub id: i64,
    pub message: String,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "pages", bucket(lines))]
pub struct LogPage {
    #[serde(rename = "_id")]
    pub id: BucketId<Host>,
    #[parent(Host)]
    pub host: Id<Host>,
    #[embed(max = 50)]
    pub lines: Vec<LogLine>,
    #[serde(rename = "n", default)]
    pub count: Number,
}

pub type Number = i64;

pub fn main() {}
