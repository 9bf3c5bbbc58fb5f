// Options of the design that have no run time yet are refused, never ignored.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "e", shard_key(name))]
pub struct Sharded {
    #[serde(rename = "_id")]
    pub id: Id<Sharded>,
}

fn main() {}
