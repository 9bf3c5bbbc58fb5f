// A bucket that does not refer to its parent, or not plainly.

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
#[model(collection = "a", bucket(lines))]
pub struct Missing {
    #[serde(rename = "_id")]
    pub id: BucketId<Host>,
    pub host: Id<Host>,
    pub count: i64,
    #[embed(max = 50)]
    pub lines: Vec<LogLine>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "b", bucket(lines))]
pub struct Other {
    #[serde(rename = "_id")]
    pub id: BucketId<Host>,
    #[parent(Missing)]
    pub host: BucketId<Host>,
    pub count: i64,
    #[embed(max = 50)]
    pub lines: Vec<LogLine>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "c", bucket(lines))]
pub struct Optional {
    #[serde(rename = "_id")]
    pub id: BucketId<Host>,
    #[parent(Host)]
    pub host: Option<Id<Host>>,
    pub count: i64,
    #[embed(max = 50)]
    pub lines: Vec<LogLine>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "d", bucket(lines))]
pub struct Twice {
    #[serde(rename = "_id")]
    pub id: BucketId<Host>,
    #[parent(Host)]
    pub host: Id<Host>,
    pub count: i64,
    #[embed(max = 50)]
    pub lines: Vec<LogLine>,
    #[parent(Host)]
    pub other: Id<Host>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "e", bucket(lines))]
pub struct Both {
    #[serde(rename = "_id")]
    pub id: BucketId<Host>,
    #[parent(Host, inverse = pages)]
    pub host: Id<Host>,
    pub count: i64,
    #[embed(max = 50)]
    pub lines: Vec<LogLine>,
}

fn main() {}
