// The number of items is missing, or not one.

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
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "b", bucket(lines))]
pub struct Narrow {
    #[serde(rename = "_id")]
    pub id: BucketId<Host>,
    #[parent(Host)]
    pub host: Id<Host>,
    pub count: i32,
    #[embed(max = 50)]
    pub lines: Vec<LogLine>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "c", bucket(lines))]
pub struct Counted {
    #[serde(rename = "_id")]
    pub id: BucketId<Host>,
    #[parent(Host)]
    pub host: Id<Host>,
    #[count(LogPage)]
    pub count: i64,
    #[embed(max = 50)]
    pub lines: Vec<LogLine>,
}

fn main() {}
