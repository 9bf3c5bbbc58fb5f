// A strict model that leaves nothing to advise, or says why it does.

use bson::{Binary, DateTime};
use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "makers", strict, schema_version = 1)]
pub struct Maker {
    #[serde(rename = "_id")]
    pub id: Id<Maker>,
    #[model(max_len = 80)]
    pub name: String,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "goods", strict, schema_version = 1)]
pub struct Good {
    #[serde(rename = "_id")]
    pub id: Id<Good>,
    #[index]
    #[model(max_len = 40)]
    pub label: String,
    #[embed(max = 3)]
    #[serde(default)]
    #[model(max_len = 20)]
    pub labels: Vec<String>,
    #[model(allow(string_unbounded, reason = "pasted by the thousand"))]
    pub text: String,
    #[model(max_len = 4096)]
    pub image: Binary,
    #[parent(Maker)]
    pub maker: Id<Maker>,
    // As long as what it is a copy of.
    #[denorm(from = Maker, field = name)]
    pub maker_name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sold: Option<DateTime>,
    pub count: u32,
}

pub fn main() {}
