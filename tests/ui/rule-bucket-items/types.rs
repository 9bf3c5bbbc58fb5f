// Items that only their type shows to be none.

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

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct NoId {
    pub message: String,
}

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct OptionalId {
    pub id: Option<i64>,
}

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct Copies {
    pub id: i64,
    #[parent(Named)]
    pub of: Id<Named>,
    #[denorm(from = Named, field = name)]
    pub name: String,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "named")]
pub struct Named {
    #[serde(rename = "_id")]
    pub id: Id<Named>,
    pub name: String,
}

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct Cascades {
    pub id: i64,
    #[parent(Named, on_delete = cascade)]
    pub of: Id<Named>,
}

#[derive(Serialize, Deserialize, MongoEmbed)]
pub enum Level {
    Low,
    High,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "noid", bucket(lines))]
pub struct PNoId {
    #[serde(rename = "_id")]
    pub id: BucketId<Host>,
    #[parent(Host)]
    pub host: Id<Host>,
    pub count: i64,
    #[embed(max = 50)]
    pub lines: Vec<NoId>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "optionalid", bucket(lines))]
pub struct POptionalId {
    #[serde(rename = "_id")]
    pub id: BucketId<Host>,
    #[parent(Host)]
    pub host: Id<Host>,
    pub count: i64,
    #[embed(max = 50)]
    pub lines: Vec<OptionalId>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "copies", bucket(lines))]
pub struct PCopies {
    #[serde(rename = "_id")]
    pub id: BucketId<Host>,
    #[parent(Host)]
    pub host: Id<Host>,
    pub count: i64,
    #[embed(max = 50)]
    pub lines: Vec<Copies>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "cascades", bucket(lines))]
pub struct PCascades {
    #[serde(rename = "_id")]
    pub id: BucketId<Host>,
    #[parent(Host)]
    pub host: Id<Host>,
    pub count: i64,
    #[embed(max = 50)]
    pub lines: Vec<Cascades>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "level", bucket(lines))]
pub struct PLevel {
    #[serde(rename = "_id")]
    pub id: BucketId<Host>,
    #[parent(Host)]
    pub host: Id<Host>,
    pub count: i64,
    #[embed(max = 50)]
    pub lines: Vec<Level>,
}

fn main() {}
