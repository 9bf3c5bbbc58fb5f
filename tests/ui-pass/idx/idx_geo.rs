// A pair of numbers.
#![allow(dead_code)]
use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "items")]
struct Item {
    #[serde(rename = "_id")]
    id: Id<Item>,
    #[index(geo)]
    place: [f64; 2],
}

pub fn main() {
    assert_eq!(<Item as MongoModel>::meta().name, "Item");
}
