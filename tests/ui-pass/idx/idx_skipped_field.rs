// A skipped field beside an indexed one.
#![allow(dead_code)]
use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "items")]
struct Item {
    #[serde(rename = "_id")]
    id: Id<Item>,
    #[serde(skip)]
    cache: i64,
    #[index]
    n: i64,
}

pub fn main() {
    assert_eq!(<Item as MongoModel>::meta().name, "Item");
}
