// A struct with named fields; what it reads is used like any projection.

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
    pub name: String,
    pub note: Option<String>,
}

fn reads<P: mongo_model::Projected<Product>>() -> bson::Document {
    P::projection().unwrap()
}

pub fn main() {
    assert_eq!(reads::<Summary>(), bson::doc! { "_id": 0, "name": 1, "note": 1 });
}
