// A wildcard index is plain.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "products", index(keys(wildcard), sparse))]
pub struct Product {
    #[serde(rename = "_id")]
    pub id: Id<Product>,
    #[embed(max = 20)]
    #[index(wildcard, unique)]
    pub attributes: BTreeMap<String, String>,
}

fn main() {}
