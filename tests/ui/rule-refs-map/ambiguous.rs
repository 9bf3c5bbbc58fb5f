// Keys and values may both be ids.

use std::collections::{BTreeMap};

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "parts")]
pub struct Part {
    #[serde(rename = "_id")]
    pub id: String,
    #[index(unique)]
    pub partno: String,
    pub name: String,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "products")]
pub struct Product {
    #[serde(rename = "_id")]
    pub id: Id<Product>,
    #[refs(Part)]
    pub names: BTreeMap<String, String>,
    #[refs(Part, key = partno)]
    pub partnos: BTreeMap<String, String>,
}

fn main() {}
