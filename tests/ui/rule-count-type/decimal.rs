// Sums of decimals, and of integers, in the type of the other.

use bson::Decimal128;
use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "carts")]
pub struct Cart {
    #[serde(rename = "_id")]
    pub id: Id<Cart>,
    #[sum(Line, field = price)]
    pub a: i64,
    #[sum(Line, field = pieces * price)]
    pub b: i64,
    #[sum(Line, field = pieces)]
    pub c: Decimal128,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "lines")]
pub struct Line {
    #[serde(rename = "_id")]
    pub id: Id<Line>,
    #[parent(Cart)]
    pub cart: Id<Cart>,
    pub price: Decimal128,
    pub pieces: i32,
}

fn main() {}
