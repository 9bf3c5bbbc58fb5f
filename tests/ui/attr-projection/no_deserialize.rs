// A projection is read by serde.

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

#[derive(MongoProjection)]
#[projection(of = Product)]
pub struct Summary {
    pub name: String,
}

fn main() {}
