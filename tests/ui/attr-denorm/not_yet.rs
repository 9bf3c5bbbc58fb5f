// Levels that have no run time yet.

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
    #[denorm(from = Part, field = name, level = transactional)]
    pub transactional: Vec<PartA>,
    #[refs(Part)]
    #[denorm(from = Part, field = name, level = fire_and_forget)]
    pub fire_and_forget: Vec<PartB>,
}

fn main() {}
