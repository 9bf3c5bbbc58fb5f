// The type of the source's field, or an `Option` of it.

use mongo_model::{Id, MongoModel, MongoProjection};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "parts")]
pub struct Part {
    #[serde(rename = "_id")]
    pub id: Id<Part>,
    pub name: String,
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
}

#[derive(Deserialize, MongoProjection)]
#[projection(of = Part, fallback = ProductPart)]
pub struct PartView {
    pub name: i64,
    pub qty: Option<String>,
}

fn main() {}
