// A path does not lead into a value that is no document.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

#[derive(Serialize, Deserialize, MongoModel)]
#[model(
    collection = "products",
    index(keys(name.first)),
    index(keys(seen.day)),
    index(keys(tags.first)),
    index(keys(prices.eur)),
    index(keys(extra.note)),
)]
pub struct Product {
    #[serde(rename = "_id")]
    pub id: Id<Product>,
    pub name: String,
    pub seen: bson::DateTime,
    #[embed(max = 20)]
    pub tags: Vec<String>,
    #[embed(max = 20)]
    pub prices: BTreeMap<String, i64>,
    pub extra: bson::Document,
}

fn main() {}
