// One key.
#![allow(dead_code)]
use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "items", index(keys(at), expire_after = "1d"), index(keys(n, at)))]
struct Item {
    #[serde(rename = "_id")]
    id: Id<Item>,
    at: bson::DateTime,
    n: i64,
}

pub fn main() {
    assert_eq!(<Item as MongoModel>::meta().name, "Item");
}
