// Unique over an array is across documents.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "products", index(keys(year, tags), unique, name = "both"))]
pub struct Product {
    #[serde(rename = "_id")]
    pub id: Id<Product>,
    #[index(unique)]
    #[embed(max = 20)]
    pub tags: Vec<String>,
    pub year: i32,
}

fn main() {}
