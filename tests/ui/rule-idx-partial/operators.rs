// Operators that the server refuses in a partial index.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(
    collection = "products",
    index(keys(g), partial(a(nin(1, 2)))),
    index(keys(-g), partial(or(a = 1, b = 2))),
)]
pub struct Product {
    #[serde(rename = "_id")]
    pub id: Id<Product>,
    #[index(partial(ne = 5))]
    pub a: i32,
    #[index(partial(in(1, 2)))]
    pub b: i32,
    #[index(partial(not(eq = 1)))]
    pub c: i32,
    #[index(partial(exists = false))]
    pub d: Option<i32>,
    #[index(partial(regex = "^a"))]
    pub e: String,
    #[index(partial(is_none))]
    pub f: Option<i32>,
    pub g: i32,
}

fn main() {}
