// Two copies under one name.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "parts")]
pub struct Part {
    #[serde(rename = "_id")]
    pub id: Id<Part>,
    pub name: String,
    pub label: String,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "products")]
pub struct Product {
    #[serde(rename = "_id")]
    pub id: Id<Product>,
    #[refs(Part)]
    #[denorm(from = Part, field = name)]
    #[denorm(from = Part, field = label, into = name)]
    pub parts: Vec<ProductPart>,
    #[refs(Part)]
    #[denorm(from = Part, fields(name, name))]
    pub twice: Vec<TwicePart>,
}

fn main() {}
