// An expiring index with two keys: error 67.
use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "items", index(keys(at, n), expire_after = "1d"))]
struct Item {
    #[serde(rename = "_id")]
    id: Id<Item>,
    at: bson::DateTime,
    n: i64,
}

fn main() {}
