// A field that is read ten times for every write is copied; one that is written more often with a reason.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "parts")]
pub struct Part {
    #[serde(rename = "_id")]
    pub id: Id<Part>,
    #[model(writes_per_read = 0.1)]
    pub qty: i64,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "products")]
pub struct Product {
    #[serde(rename = "_id")]
    pub id: Id<Product>,
    #[denorm(from = Part, field = qty)]
    #[refs(Part)]
    pub parts: Vec<ProductParts>,
}

pub fn main() {}
