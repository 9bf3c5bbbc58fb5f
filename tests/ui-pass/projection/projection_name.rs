// A renamed field is renamed field by field, or by the same rule.

use mongo_model::{Id, MongoModel, MongoProjection};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[serde(rename_all = "camelCase")]
#[model(collection = "products")]
pub struct Product {
    #[serde(rename = "_id")]
    pub id: Id<Product>,
    pub catalog_number: i64,
}

#[derive(Deserialize, MongoProjection)]
#[projection(of = Product)]
pub struct One {
    #[serde(rename = "catalogNumber")]
    pub catalog_number: i64,
}

#[derive(Deserialize, MongoProjection)]
#[serde(rename_all = "camelCase")]
#[projection(of = Product)]
pub struct Other {
    pub catalog_number: i64,
}

pub fn main() {}
