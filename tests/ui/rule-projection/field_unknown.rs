// A misspelt field is one error.

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
    pub nam: String,
    pub note: Option<String>,
}

fn main() {}
