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
    #[check(len = 1.., on = "write")]
    pub on_text: String,
    #[check(len = 1.., on)]
    pub on_nothing: String,
    #[check(len = 1.., on(write))]
    pub on_list: String,
    #[check(on = write)]
    pub on_alone: String,
    #[check(each())]
    #[embed(max = 3)]
    pub no_rules: Vec<String>,
    #[check(each(len = 3, on = write))]
    #[embed(max = 3)]
    pub inside: Vec<String>,
    #[check(one_of("new", "paid", "new"))]
    pub same: String,
    #[check(pattern = "(ab")]
    pub unclosed: String,
    #[check(pattern = "")]
    pub nothing: String,
    #[check(range = 100-200)]
    pub minus: i32,
    #[check(range = 0..=100u8)]
    pub suffix: u8,
    #[check(range = 0.12345678901234567890..)]
    pub digits: bson::Decimal128,
    #[check(min = 3)]
    pub least: i32,
    #[check(email = true)]
    pub email: String,
    #[check(url())]
    pub url: String,
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
