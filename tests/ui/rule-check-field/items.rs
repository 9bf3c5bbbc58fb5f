// The items of a bucket are bounded by `max`, and a new bucket has none: a rule about their array would never be looked at, or refuse it.

use mongo_model::{BucketId, Id, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "stations")]
pub struct Station {
    #[serde(rename = "_id")]
    pub id: Id<Station>,
}

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct Reading {
    pub id: i64,
    #[check(range = 0..=100)]
    pub level: i32,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "readings", bucket(readings))]
pub struct ReadingPage {
    #[serde(rename = "_id")]
    pub id: BucketId<Station>,
    #[parent(Station)]
    pub station: Id<Station>,
    pub count: i64,
    #[embed(max = 100)]
    #[check(len = ..=50, not_empty)]
    #[serde(default)]
    pub readings: Vec<Reading>,
}

fn main() {}
