// Ids of another type never compare equal.

use std::collections::HashSet;

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "parts")]
pub struct Part {
    #[serde(rename = "_id")]
    pub id: Id<Part>,
    pub name: String,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "products")]
pub struct Product {
    #[serde(rename = "_id")]
    pub id: Id<Product>,
    #[refs(Part)]
    pub strings: Vec<String>,
    #[refs(Part)]
    pub of_another: Vec<Id<Product>>,
    #[refs(Part)]
    pub numbers: HashSet<i64>,
}

fn main() {}
