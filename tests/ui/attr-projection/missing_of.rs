// What it is a projection of is said; whoever reads with it sees one error.

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
pub struct Nothing {
    pub name: String,
}

#[derive(Deserialize, MongoProjection)]
#[projection(fallback = Product)]
pub struct NoOf {
    pub name: String,
}

fn reads<P: mongo_model::Projected<Product>>() {}

fn main() {
    reads::<Nothing>();
    reads::<NoOf>();
}
