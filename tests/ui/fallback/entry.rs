// A broken `denorm`: the entry that it would generate is there all the same.

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
    #[denorm(from = Part, feild = name)]
    pub parts: Vec<ProductPart>,
}

pub fn calls(product: &Product) -> Id<Part> {
    product.parts[0].id
}

fn main() {}
