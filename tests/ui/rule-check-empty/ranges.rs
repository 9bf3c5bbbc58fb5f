// A rule that no value meets would refuse every write.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "products")]
pub struct Product {
    #[serde(rename = "_id")]
    pub id: Id<Product>,
    #[check(range = 100..=0)]
    pub percent: i32,
    #[check(range = 1.0..1.0)]
    pub ratio: f64,
    #[check(range = 9007199254740994..=9007199254740993)]
    pub exact: i64,
    #[check(range = ..-9223372036854775808)]
    pub least: i64,
    #[check(len = 80..=3)]
    pub name: String,
    #[check(len = 0..1)]
    pub code: String,
    #[check(len = 20..)]
    #[model(max_len = 10)]
    pub note: String,
    #[check(len = 4..)]
    #[embed(max = 3)]
    pub tags: Vec<String>,
}

fn main() {}
