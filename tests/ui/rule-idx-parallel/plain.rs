// An index of two arrays.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "products", index(keys(tags, year, -sizes)))]
pub struct Product {
    #[serde(rename = "_id")]
    pub id: Id<Product>,
    #[embed(max = 20)]
    pub tags: Vec<String>,
    #[embed(max = 20)]
    pub sizes: Vec<i32>,
    pub year: i32,
}

fn main() {}
