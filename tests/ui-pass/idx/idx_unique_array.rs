// Meant, with a reason.
#![allow(dead_code)]
use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "items")]
struct Item {
    #[serde(rename = "_id")]
    id: Id<Item>,
    #[embed(max = 5)]
    #[index(unique)]
    #[model(allow(idx_unique_array, reason = "a tag belongs to one item"))]
    tags: Vec<String>,
}

pub fn main() {
    assert_eq!(<Item as MongoModel>::meta().name, "Item");
}
