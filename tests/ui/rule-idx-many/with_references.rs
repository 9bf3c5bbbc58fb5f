// 30 indexes and the one that a reference brings.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "parts")]
pub struct Part {
    #[serde(rename = "_id")]
    pub id: Id<Part>,
    pub name: String,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(
    collection = "products",
    index(keys(a, b)), index(keys(a, c)), index(keys(a, d)), index(keys(a, e)), index(keys(a, f)), index(keys(a, g)), index(keys(a, h)),
    index(keys(b, a)), index(keys(b, c)), index(keys(b, d)), index(keys(b, e)), index(keys(b, f)), index(keys(b, g)), index(keys(b, h)),
    index(keys(c, a)), index(keys(c, b)), index(keys(c, d)), index(keys(c, e)), index(keys(c, f)), index(keys(c, g)), index(keys(c, h)),
    index(keys(d, a)), index(keys(d, b)), index(keys(d, c)), index(keys(d, e)), index(keys(d, f)), index(keys(d, g)), index(keys(d, h)),
    index(keys(e, a)), index(keys(e, b)),
)]
pub struct Product {
    #[serde(rename = "_id")]
    pub id: Id<Product>,
    pub a: i64,
    pub b: i64,
    pub c: i64,
    pub d: i64,
    pub e: i64,
    pub f: i64,
    pub g: i64,
    pub h: i64,
    #[refs(Part)]
    pub parts: Vec<Id<Part>>,
}

fn main() {}
