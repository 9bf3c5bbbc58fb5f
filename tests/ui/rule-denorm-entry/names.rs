// The entry is named by one plain identifier.

use std::collections::HashSet;

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "parts")]
pub struct Part {
    #[serde(rename = "_id")]
    pub id: Id<Part>,
    pub name: String,
    #[volatile]
    pub qty: i64,
}

pub mod entries {}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "products")]
pub struct Product {
    #[serde(rename = "_id")]
    pub id: Id<Product>,
    #[refs(Part)]
    #[denorm(from = Part, field = name)]
    pub ids: Vec<Id<Part>>,
    #[refs(Part)]
    #[denorm(from = Part, field = name)]
    pub path: Vec<entries::ProductPart>,
    #[refs(Part)]
    #[denorm(from = Part, field = name)]
    pub set: HashSet<ProductPart>,
    #[parent(Part)]
    #[denorm(from = Part, field = name)]
    pub one: Id<Part>,
    #[parent(Part)]
    #[denorm(from = Part, field = name)]
    pub generic: Entry<Part>,
}

fn main() {}
