// A map that holds no ids.

use std::collections::{BTreeMap};

use mongo_model::{Id, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "parts")]
pub struct Part {
    #[serde(rename = "_id")]
    pub id: Id<Part>,
    #[index(unique)]
    pub partno: String,
    pub name: String,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "products")]
pub struct Product {
    #[serde(rename = "_id")]
    pub id: Id<Product>,
    #[refs(Part, max = 100)]
    pub parts: BTreeMap<String, i32>,
    #[refs(Part, max = 100, key = partno)]
    pub partnos: BTreeMap<Shelf, Option<i32>>,
}

#[derive(PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, MongoEmbed)]
pub enum Shelf {
    Upper,
    Lower,
}

fn main() {}
