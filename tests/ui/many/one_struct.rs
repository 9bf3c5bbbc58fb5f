// Five mistakes in one model are five errors, in source order; nothing follows from them.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(colection = "products")]
pub struct Product {
    #[serde(rename = "_id")]
    pub id: Option<Id<Product>>,
    #[embed(mx = 20)]
    pub tags: Vec<String>,
    #[refs(max = 20)]
    pub parts: Vec<Id<Product>>,
    #[serde(rename = "a.b")]
    pub dotted: String,
    pub bytes: Vec<u8>,
}

fn main() {}
