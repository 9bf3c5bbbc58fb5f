// How the attribute is written.

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
#[projection(of = Product, falback = Product)]
pub struct Misspelt {
    pub name: String,
}

#[derive(Deserialize, MongoProjection)]
#[projection(of = "Product")]
pub struct Text {
    pub name: String,
}

#[derive(Deserialize, MongoProjection)]
#[projection(of = Product)]
#[projection(of = Product)]
pub struct Twice {
    pub name: String,
}

#[derive(Deserialize, MongoProjection)]
#[projection]
pub struct Bare {
    pub name: String,
}

#[derive(Deserialize, MongoProjection)]
#[projection(of = Product)]
pub struct OnField {
    #[projection(nestd)]
    pub name: String,
}

fn main() {}
