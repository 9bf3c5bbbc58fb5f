// Nothing is pulled out of a map.

use std::collections::HashMap;

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "parts")]
pub struct Part {
    #[serde(rename = "_id")]
    pub id: Id<Part>,
    #[index(unique)]
    pub partno: String,
    pub name: String,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "products")]
pub struct Product {
    #[serde(rename = "_id")]
    pub id: Id<Product>,
    #[refs(Part, max = 100, on_delete = pull)]
    pub in_keys: HashMap<Id<Part>, i64>,
    #[refs(Part, on_delete = pull)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub in_values: Option<HashMap<String, Id<Part>>>,
}

fn main() {}
