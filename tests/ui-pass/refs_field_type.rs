// Arrays and sets, also behind an alias, and a generated entry.

use std::collections::VecDeque;

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "parts")]
pub struct Part {
    #[serde(rename = "_id")]
    pub id: Id<Part>,
    pub name: String,
}

pub type PartIds = Vec<Id<Part>>;

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "products")]
pub struct Product {
    #[serde(rename = "_id")]
    pub id: Id<Product>,
    #[refs(Part)]
    pub parts: Vec<Id<Part>>,
    #[refs(Part)]
    pub alias: PartIds,
    #[refs(Part)]
    pub queue: VecDeque<Id<Part>>,
    #[refs(Part)]
    #[denorm(from = Part, field = name)]
    pub entries: Vec<ProductPart>,
}

pub fn main() {}
