// A skipped field without a rule, of any type.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

pub struct Cache;

impl Default for Cache {
    fn default() -> Self {
        Cache
    }
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "products")]
pub struct Product {
    #[serde(rename = "_id")]
    pub id: Id<Product>,
    pub name: String,
    #[serde(skip)]
    pub cache: Cache,
    #[serde(skip)]
    pub tags: Vec<String>,
}

pub fn main() {
    assert_eq!(Product::meta().shape.fields.len(), 2);
}
