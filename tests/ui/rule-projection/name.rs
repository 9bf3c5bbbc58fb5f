// The stored names are the model's.

use mongo_model::{Id, MongoModel, MongoProjection};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[serde(rename_all = "camelCase")]
#[model(collection = "products")]
pub struct Product {
    #[serde(rename = "_id")]
    pub id: Id<Product>,
    pub name: String,
    pub catalog_number: i64,
}

#[derive(Deserialize, MongoProjection)]
#[projection(of = Product)]
pub struct Summary {
    pub id: Id<Product>,
    #[serde(rename = "title")]
    pub name: String,
    pub catalog_number: i64,
}

fn main() {}
