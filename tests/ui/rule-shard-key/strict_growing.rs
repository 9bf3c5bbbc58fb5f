// A shard key that grows with time, in a strict model.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "orders", strict, schema_version = 1, shard_key(id))]
pub struct Order {
    #[serde(rename = "_id")]
    pub id: Id<Order>,
}

fn main() {}
