// The name, which changes rarely; and the quantity, for a reason.

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

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "products")]
pub struct Product {
    #[serde(rename = "_id")]
    pub id: Id<Product>,
    #[refs(Part)]
    #[denorm(from = Part, field = name)]
    pub parts: Vec<ProductPart>,
    #[refs(Part)]
    #[denorm(from = Part, field = qty)]
    #[model(allow(denorm_hot, reason = "counted once a night"))]
    pub counted: Vec<CountedPart>,
}

pub fn main() {}
