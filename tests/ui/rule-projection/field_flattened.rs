// No path leads to a flattened field.

use mongo_model::{Id, MongoEmbed, MongoModel, MongoProjection};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct Audit {
    pub by: String,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "products")]
pub struct Product {
    #[serde(rename = "_id")]
    pub id: Id<Product>,
    #[serde(flatten)]
    pub audit: Audit,
}

#[derive(Deserialize, MongoProjection)]
#[projection(of = Product)]
pub struct Summary {
    pub audit: Audit,
}

fn main() {}
