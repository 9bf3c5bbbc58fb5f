// A model takes comparisons of its fields and functions in `check(..)`, and nothing else.

use mongo_model::{Id, MongoEmbed, MongoModel};
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
    check(with = "is_right"),
    check(low < high, on = read),
    check(low < high && high < top),
    check(address.number < top),
    check(range = 0..=3),
    check(low => high),
    check(low < high, high = top, low < "3"),
    check(not_empty)
)]
pub struct Product {
    #[serde(rename = "_id")]
    pub id: Id<Product>,
    pub low: i32,
    pub high: i32,
    pub top: i32,
    pub address: Address,
}

// An embedded document has rules about its fields, and compares none.
#[derive(Serialize, Deserialize, MongoEmbed)]
#[model(check(number < floor))]
pub struct Address {
    pub number: i32,
    pub floor: i32,
}

fn main() {}
