// Products of three fields, of a number, of a path and a number, and of an extreme.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "carts")]
pub struct Cart {
    #[serde(rename = "_id")]
    pub id: Id<Cart>,
    #[sum(Line, field = price * pieces * weight)]
    pub a: i64,
    #[sum(Line, field = price * 2)]
    pub b: i64,
    #[sum(Line, field = price.net * 2)]
    pub c: i64,
    #[max(Line, field = price * pieces)]
    pub d: Option<i64>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "lines")]
pub struct Line {
    #[serde(rename = "_id")]
    pub id: Id<Line>,
    #[parent(Cart)]
    pub cart: Id<Cart>,
    pub price: i64,
    pub weight: i64,
    pub pieces: i32,
}

fn main() {}
