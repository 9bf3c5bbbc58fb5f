// Two names.
#![allow(dead_code)]
use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "items", index(keys(a), name = "one"), index(keys(b), name = "two"))]
struct Item {
    #[serde(rename = "_id")]
    id: Id<Item>,
    a: i64,
    b: i64,
}

pub fn main() {
    assert_eq!(<Item as MongoModel>::meta().name, "Item");
}
