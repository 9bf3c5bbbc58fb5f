// In an array with a bound, and in a map.

use std::collections::HashMap;

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "parts")]
pub struct Part {
    #[serde(rename = "_id")]
    pub id: Id<Part>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "products")]
pub struct Product {
    #[serde(rename = "_id")]
    pub id: Id<Product>,
    #[embed(max = 20)]
    pub parts: Vec<Part>,
    #[embed(max = 20)]
    pub by_name: HashMap<String, Part>,
}

fn main() {}
