// Constants of another type than the fields.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "carts")]
pub struct Cart {
    #[serde(rename = "_id")]
    pub id: Id<Cart>,
    #[count(Line, only(price = "7"))]
    pub a: i64,
    #[count(Line, only(open = 1))]
    pub b: i64,
    #[count(Line, only(cart = "6650"))]
    pub c: i64,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "lines")]
pub struct Line {
    #[serde(rename = "_id")]
    pub id: Id<Line>,
    #[parent(Cart)]
    pub cart: Id<Cart>,
    pub price: i64,
    pub open: bool,
}

fn main() {}
