// A model takes comparisons of its fields and functions in `check(..)`, and nothing else.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(
    collection = "products",
    check,
    check(),
    check = "low < high",
    check(low),
    check(low = high),
    check(low - 1 < high),
    check((low) < high),
    check(low < high < top),
    check(with = "is_right")
)]
pub struct Product {
    #[serde(rename = "_id")]
    pub id: Id<Product>,
    pub low: i32,
    pub high: i32,
    pub top: i32,
}

fn main() {}
