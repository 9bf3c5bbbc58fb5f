// A projection reads a field under the names under which the model reads it.

use mongo_model::{Id, MongoModel, MongoProjection};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "products")]
pub struct Product {
    #[serde(rename = "_id")]
    pub id: Id<Product>,
    #[serde(alias = "label", alias = "title")]
    pub name: String,
    #[serde(default)]
    pub stock: i64,
}

#[derive(Deserialize, MongoProjection)]
#[projection(of = Product)]
pub struct Named {
    #[serde(alias = "label")]
    pub name: String,
}

#[derive(Deserialize, MongoProjection)]
#[projection(of = Product)]
pub struct Stocked {
    #[serde(default, alias = "count")]
    pub stock: i64,
}

fn main() {}
