// A bound, the attribute pattern, a flattened map, and a map for a reason.

use std::collections::{BTreeMap, HashMap};

use mongo_model::{Id, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct Attr {
    pub k: String,
    pub v: String,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "products")]
pub struct Product {
    #[serde(rename = "_id")]
    pub id: Id<Product>,
    #[embed(max = 50)]
    pub attrs: HashMap<String, i64>,
    #[embed(max = 50)]
    pub pairs: Vec<Attr>,
    #[model(allow(embed_map, reason = "one key per language"))]
    pub names: BTreeMap<String, String>,
    #[serde(flatten)]
    pub rest: HashMap<String, bson::Bson>,
}

pub fn main() {}
