// A projected field has exactly the type of the field.

use mongo_model::{Id, MongoModel, MongoProjection};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "products")]
pub struct Product {
    #[serde(rename = "_id")]
    pub id: Id<Product>,
    pub name: String,
    pub note: Option<String>,
}

#[derive(Deserialize, MongoProjection)]
#[projection(of = Product)]
pub struct Summary {
    pub name: Option<String>,
    pub note: i64,
}

fn main() {}
