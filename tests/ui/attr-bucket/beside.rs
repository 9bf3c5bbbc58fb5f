// What does not go with a bucket.

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
#[model(collection = "a", bucket(lines), queue)]
pub struct Queue {
    #[serde(rename = "_id")]
    pub id: BucketId<Host>,
    #[parent(Host)]
    pub host: Id<Host>,
    pub count: i64,
    #[embed(max = 50)]
    pub lines: Vec<LogLine>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "b", bucket(lines), schema_version = 2)]
pub struct Schema {
    #[serde(rename = "_id")]
    pub id: BucketId<Host>,
    #[parent(Host)]
    pub host: Id<Host>,
    pub count: i64,
    #[embed(max = 50)]
    pub lines: Vec<LogLine>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "c", bucket(lines))]
pub struct Version {
    #[serde(rename = "_id")]
    pub id: BucketId<Host>,
    #[parent(Host)]
    pub host: Id<Host>,
    pub count: i64,
    #[embed(max = 50)]
    pub lines: Vec<LogLine>,
    #[version]
    pub version: i64,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "d", bucket(lines))]
#[serde(deny_unknown_fields)]
pub struct Denying {
    #[serde(rename = "_id")]
    pub id: BucketId<Host>,
    #[parent(Host)]
    pub host: Id<Host>,
    pub count: i64,
    #[embed(max = 50)]
    pub lines: Vec<LogLine>,
}

fn main() {}
