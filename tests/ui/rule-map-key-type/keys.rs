// Keys that are not stored as strings.

use std::collections::{BTreeMap, HashMap};

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "products")]
pub struct Product {
    #[serde(rename = "_id")]
    pub id: Id<Product>,
    #[embed(max = 50)]
    pub numbers: HashMap<u32, String>,
    #[embed(max = 50)]
    pub flags: BTreeMap<bool, String>,
    #[embed(max = 50)]
    pub ids: HashMap<bson::oid::ObjectId, i64>,
    #[embed(max = 50)]
    pub letters: BTreeMap<char, i64>,
}

fn main() {}
