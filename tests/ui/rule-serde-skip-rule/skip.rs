// A field with a rule is stored.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "parts")]
pub struct Part {
    #[serde(rename = "_id")]
    pub id: Id<Part>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "products")]
pub struct Product {
    #[serde(rename = "_id")]
    pub id: Id<Product>,
    #[serde(skip)]
    #[refs(Part)]
    pub parts: Vec<Id<Part>>,
    #[serde(skip)]
    #[index]
    pub name: String,
    #[serde(default, skip_serializing)]
    #[embed(max = 20)]
    pub tags: Vec<String>,
}

fn main() {}
