// Copies under a map: the key is data, no filter reaches it.

use std::collections::HashMap;

use mongo_model::{Id, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "parts")]
pub struct Part {
    #[serde(rename = "_id")]
    pub id: Id<Part>,
    pub name: String,
    #[volatile]
    pub qty: i64,
}

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct Slot {
    #[parent(Part)]
    pub part: Id<Part>,
    #[denorm(from = Part, field = name)]
    pub name: String,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "stores")]
pub struct Store {
    #[serde(rename = "_id")]
    pub id: Id<Store>,
    #[embed(max = 10)]
    pub slots: HashMap<String, Slot>,
}

fn main() {}
