// Keys by their Rust names, nested ones too.
#![allow(dead_code)]
use mongo_model::{Id, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "items", index(keys(host, -b.n)))]
struct Item {
    #[serde(rename = "_id")]
    id: Id<Item>,
    host: i64,
    #[serde(rename = "in")]
    b: Inner,
}

#[derive(Serialize, Deserialize, MongoEmbed)]
struct Inner {
    tags: [String; 2],
    at: When,
    n: i64,
}

type When = String;

pub fn main() {
    assert_eq!(<Item as MongoModel>::meta().name, "Item");
}
