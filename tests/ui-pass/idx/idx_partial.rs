// Conditions that the server takes.
#![allow(dead_code)]
use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "items", index(keys(n), partial(active = true, status = "open", n(gt = 5, lte = 9))))]
struct Item {
    #[serde(rename = "_id")]
    id: Id<Item>,
    n: i64,
    active: bool,
    status: String,
}

pub fn main() {
    assert_eq!(<Item as MongoModel>::meta().name, "Item");
}
