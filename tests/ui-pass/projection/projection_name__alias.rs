// The names under which the model reads the field.

use mongo_model::{Id, MongoModel, MongoProjection};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "products")]
pub struct Product {
    #[serde(rename = "_id", alias = "id")]
    pub id: Id<Product>,
    #[serde(alias = "title", alias = "label")]
    pub name: String,
}

#[derive(Deserialize, MongoProjection)]
#[projection(of = Product)]
pub struct Summary {
    #[serde(rename = "_id")]
    pub id: Id<Product>,
    #[serde(alias = "label", alias = "title")]
    pub name: String,
}

pub fn main() {}
