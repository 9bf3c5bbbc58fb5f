// A queue of tenants, and buckets of a document that belongs to one.

use mongo_model::{BucketId, Id, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "mails", queue(priority = urgency), tenant = org)]
pub struct Mail {
    #[serde(rename = "_id")]
    pub id: Id<Mail>,
    pub org: i64,
    pub urgency: i32,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "hosts", tenant = org)]
pub struct Host {
    #[serde(rename = "_id")]
    pub id: Id<Host>,
    pub org: i64,
}

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct Line {
    pub id: i64,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "logs", bucket(lines), tenant = org)]
pub struct Log {
    #[serde(rename = "_id")]
    pub id: BucketId<Host>,
    pub org: i64,
    #[parent(Host)]
    pub host: Id<Host>,
    pub count: i64,
    #[embed(max = 50)]
    pub lines: Vec<Line>,
}

pub fn main() {}
