// One value is left; and a least length that the bounds allow.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "products")]
pub struct Product {
    #[serde(rename = "_id")]
    pub id: Id<Product>,
    #[check(range = 100..=100)]
    pub percent: i32,
    #[check(range = 0..1)]
    pub zero: i32,
    #[check(len = 10..)]
    #[model(max_len = 10)]
    pub note: String,
    #[check(len = 3..)]
    #[embed(max = 3)]
    pub tags: Vec<String>,
}

pub fn main() {}
