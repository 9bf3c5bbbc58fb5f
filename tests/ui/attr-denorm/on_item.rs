// The attribute belongs on a field.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "parts")]
pub struct Part {
    #[serde(rename = "_id")]
    pub id: Id<Part>,
    pub name: String,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "products")]
#[denorm(from = Part, field = name)]
pub struct Product {
    #[serde(rename = "_id")]
    pub id: Id<Product>,
}

fn main() {}
