// A bound up to a thousand says nothing; above it is advice.

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
    pub count: i64,
    #[embed(max = 1000)]
    pub lines: Vec<LogLine>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "b", bucket(lines))]
pub struct Large {
    #[serde(rename = "_id")]
    pub id: BucketId<Host>,
    #[parent(Host)]
    pub host: Id<Host>,
    pub count: i64,
    #[embed(max = 3000)]
    pub lines: Vec<LogLine>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "c", bucket(lines))]
pub struct One {
    #[serde(rename = "_id")]
    pub id: BucketId<Host>,
    #[parent(Host)]
    pub host: Id<Host>,
    pub count: i64,
    #[embed(max = 1)]
    pub lines: Vec<LogLine>,
}

pub fn main() {}
