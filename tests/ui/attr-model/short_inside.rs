// Mistakes in short attributes inside `#[model(..)]` are the same mistakes.

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
    #[model(embed(mx = 20))]
    pub unknown: Vec<String>,
    #[model(embed = 20)]
    pub value: Vec<String>,
    #[model(embed)]
    pub bare: Vec<String>,
    #[model(refs())]
    pub empty: Vec<Id<Part>>,
    #[model(parent(sort = -time))]
    pub missing: Id<Part>,
    #[model(index(unque))]
    pub index: String,
    #[model(version(start = 1))]
    pub version: i64,
}

fn main() {}
