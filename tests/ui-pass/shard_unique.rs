// A value that is unique over all shards is the `_id`, or that of a model which is not sharded.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "users", shard_key(email))]
pub struct User {
    #[serde(rename = "_id")]
    pub email: String,
    #[index]
    pub site: i64,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "orders", shard_key(hashed(id)))]
pub struct Order {
    #[serde(rename = "_id")]
    pub id: Id<Order>,
    pub total: i64,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "numbers")]
pub struct Number {
    #[serde(rename = "_id")]
    pub id: Id<Number>,
    #[index(unique)]
    pub number: i64,
    #[parent(Order)]
    pub order: Id<Order>,
}

pub fn main() {}
