// Options of the design that have no run time yet are refused, never ignored.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "b", bucket(parent = Host, max = 1000))]
pub struct Bucket {
    #[serde(rename = "_id")]
    pub id: Id<Bucket>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "e", shard_key(name))]
pub struct Sharded {
    #[serde(rename = "_id")]
    pub id: Id<Sharded>,
}

fn main() {}
