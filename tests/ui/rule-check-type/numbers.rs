// A range is one of numbers, a length one of strings and arrays.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "products")]
pub struct Product {
    #[serde(rename = "_id")]
    pub id: Id<Product>,
    #[check(range = 3..=80)]
    pub name: String,
    #[check(len = 0..=100)]
    pub percent: i32,
    #[check(range = 0.5..)]
    pub pieces: Option<i64>,
    #[check(finite)]
    pub weight: i64,
    #[check(not_empty)]
    pub at: bson::DateTime,
    #[check(one_of("a", "b"))]
    pub kind: i32,
}

fn main() {}
