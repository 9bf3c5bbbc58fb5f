// Rules are written out.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "products")]
pub struct Product {
    #[serde(rename = "_id")]
    pub id: Id<Product>,
    #[check]
    pub bare: String,
    #[check()]
    pub empty: String,
    #[check(length = 3..=80)]
    pub unknown: String,
    #[check(len = 1.5..)]
    pub fraction: String,
    #[check(len = ..)]
    pub all: String,
    #[check(len = 3..=)]
    pub open: String,
    #[check(len = 3..=80, len = 5)]
    pub twice: String,
    #[check(range)]
    pub no_range: i32,
    #[check(range = MIN..)]
    pub constant: i32,
    #[check(not_empty = true)]
    pub flag: String,
    #[check(one_of())]
    pub none: String,
    #[check(one_of("a", 1))]
    pub mixed: String,
    #[check(each(each(len = 3)))]
    #[embed(max = 3)]
    pub nested: Vec<String>,
    #[check(each = 3)]
    #[embed(max = 3)]
    pub each: Vec<String>,
    #[check(len = 1.., on = read)]
    pub on: String,
    #[check(with = "is_free")]
    pub function: String,
    #[check(keys(range = 1..))]
    #[embed(max = 3)]
    pub keys: std::collections::BTreeMap<String, i32>,
    #[check(values)]
    #[embed(max = 3)]
    pub values: std::collections::BTreeMap<String, i32>,
    #[check(len = 1..)]
    #[serde(skip)]
    pub skipped: String,
}

const MIN: i32 = 0;

fn main() {
    let _ = MIN;
}
