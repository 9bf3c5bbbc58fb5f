// Text keys side by side after another key.
#![allow(dead_code)]
use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "items", index(keys(n, text(a), text(b))))]
struct Item {
    #[serde(rename = "_id")]
    id: Id<Item>,
    a: String,
    b: String,
    n: i64,
}

pub fn main() {
    assert_eq!(<Item as MongoModel>::meta().name, "Item");
}
