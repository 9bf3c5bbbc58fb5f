// Three arrays: one mistake.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "products", index(keys(tags, sizes, years)))]
pub struct Product {
    #[serde(rename = "_id")]
    pub id: Id<Product>,
    #[embed(max = 20)]
    pub tags: Vec<String>,
    #[embed(max = 20)]
    pub sizes: Vec<i32>,
    #[embed(max = 20)]
    pub years: Vec<i32>,
}

fn main() {}
