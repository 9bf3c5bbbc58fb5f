// Null is left out of the index.
#![allow(dead_code)]
use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "items")]
struct Item {
    #[serde(rename = "_id")]
    id: Id<Item>,
    #[index(unique, partial(type = "string"))]
    email: Option<String>,
}

pub fn main() {
    assert_eq!(<Item as MongoModel>::meta().name, "Item");
}
