// References are an array too.

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
#[model(
    collection = "products",
    index(keys(parts, tags)),
    index(keys(spares, tags)),
)]
pub struct Product {
    #[serde(rename = "_id")]
    pub id: Id<Product>,
    #[refs(Part)]
    pub parts: Vec<Id<Part>>,
    #[refs(Part)]
    pub spares: Vec<Id<Part>>,
    #[embed(max = 20)]
    pub tags: Vec<String>,
}

fn main() {}
