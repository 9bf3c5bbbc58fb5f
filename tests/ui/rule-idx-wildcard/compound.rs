// A wildcard key stands alone.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

#[derive(Serialize, Deserialize, MongoModel)]
#[model(
    collection = "products",
    index(keys(year, wildcard(attributes))),
    index(keys(wildcard, year)),
)]
pub struct Product {
    #[serde(rename = "_id")]
    pub id: Id<Product>,
    #[embed(max = 20)]
    pub attributes: BTreeMap<String, String>,
    pub year: i32,
}

fn main() {}
