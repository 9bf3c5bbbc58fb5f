// An alias does not hide the key.

use std::collections::HashMap;

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

pub type Key = i64;

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "products")]
pub struct Product {
    #[serde(rename = "_id")]
    pub id: Id<Product>,
    #[embed(max = 50)]
    pub numbers: HashMap<Key, String>,
}

fn main() {}
