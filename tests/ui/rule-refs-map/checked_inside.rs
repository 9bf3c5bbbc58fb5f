// A checked reference in the values of a map.

use std::collections::BTreeMap;

use mongo_model::{Id, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "parts")]
pub struct Part {
    #[serde(rename = "_id")]
    pub id: Id<Part>,
}

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct Slot {
    #[parent(Part, checked)]
    pub part: Id<Part>,
    pub qty: i32,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "products")]
pub struct Product {
    #[serde(rename = "_id")]
    pub id: Id<Product>,
    #[embed(max = 100)]
    pub stock: BTreeMap<String, Slot>,
}

fn main() {}
