// One text index over two fields.
#![allow(dead_code)]
use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "items", index(keys(text(a), text(b)), weights(a = 10)))]
struct Item {
    #[serde(rename = "_id")]
    id: Id<Item>,
    a: String,
    b: String,
}

pub fn main() {
    assert_eq!(<Item as MongoModel>::meta().name, "Item");
}
