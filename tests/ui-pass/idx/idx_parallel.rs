// One array and a scalar in one index; two scalars of the same embedded array.
#![allow(dead_code)]
use mongo_model::{Id, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "items", index(keys(a, c)), index(keys(d.x, d.y)))]
struct Item {
    #[serde(rename = "_id")]
    id: Id<Item>,
    #[embed(max = 5)]
    a: Vec<String>,
    #[embed(max = 5)]
    b: Vec<String>,
    c: i64,
    #[embed(max = 5)]
    d: Vec<Pair>,
}

#[derive(Serialize, Deserialize, MongoEmbed)]
struct Pair {
    x: i64,
    y: i64,
}

pub fn main() {
    assert_eq!(<Item as MongoModel>::meta().name, "Item");
}
