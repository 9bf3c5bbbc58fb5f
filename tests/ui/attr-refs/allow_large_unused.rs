// `allow_large` where the bound is small enough.

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
pub struct Product {
    #[serde(rename = "_id")]
    pub id: Id<Product>,
    #[refs(Part, max = 5000, allow_large = "all parts of a ship")]
    pub parts: Vec<Id<Part>>,
    #[refs(Part, allow_large = "all parts of a ship")]
    pub default_max: Vec<Id<Part>>,
}

fn main() {}
