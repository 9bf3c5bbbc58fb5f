// A map whose keys are data grows like an array.

use std::collections::{BTreeMap, HashMap};

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "products")]
pub struct Product {
    #[serde(rename = "_id")]
    pub id: Id<Product>,
    pub hashed: HashMap<String, i64>,
    pub sorted: BTreeMap<String, String>,
}

fn main() {}
