// An entry has its copies, and nothing else of its source.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "parts")]
pub struct Part {
    #[serde(rename = "_id")]
    pub id: Id<Part>,
    pub name: String,
    pub price: i64,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(
    collection = "products",
    index(keys(parts.price)),
    index(keys(parts.nam)),
)]
pub struct Product {
    #[serde(rename = "_id")]
    pub id: Id<Product>,
    #[refs(Part)]
    #[denorm(from = Part, field = name)]
    pub parts: Vec<ProductPart>,
}

fn main() {}
