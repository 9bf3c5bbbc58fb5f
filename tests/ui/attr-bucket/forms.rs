// Ways to write `bucket` that mean nothing.

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
#[model(collection = "a", bucket)]
pub struct Flag {
    #[serde(rename = "_id")]
    pub id: BucketId<Host>,
    #[parent(Host)]
    pub host: Id<Host>,
    pub count: i64,
    #[embed(max = 50)]
    pub lines: Vec<LogLine>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "b", bucket())]
pub struct Empty {
    #[serde(rename = "_id")]
    pub id: BucketId<Host>,
    #[parent(Host)]
    pub host: Id<Host>,
    pub count: i64,
    #[embed(max = 50)]
    pub lines: Vec<LogLine>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "c", bucket = lines)]
pub struct Value {
    #[serde(rename = "_id")]
    pub id: BucketId<Host>,
    #[parent(Host)]
    pub host: Id<Host>,
    pub count: i64,
    #[embed(max = 50)]
    pub lines: Vec<LogLine>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "d", bucket(max = 50))]
pub struct Options {
    #[serde(rename = "_id")]
    pub id: BucketId<Host>,
    #[parent(Host)]
    pub host: Id<Host>,
    pub count: i64,
    #[embed(max = 50)]
    pub lines: Vec<LogLine>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "e", bucket(lines, max = 50))]
pub struct More {
    #[serde(rename = "_id")]
    pub id: BucketId<Host>,
    #[parent(Host)]
    pub host: Id<Host>,
    pub count: i64,
    #[embed(max = 50)]
    pub lines: Vec<LogLine>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "f", bucket(lines), bucket(lines))]
pub struct Twice {
    #[serde(rename = "_id")]
    pub id: BucketId<Host>,
    #[parent(Host)]
    pub host: Id<Host>,
    pub count: i64,
    #[embed(max = 50)]
    pub lines: Vec<LogLine>,
}

fn main() {}
