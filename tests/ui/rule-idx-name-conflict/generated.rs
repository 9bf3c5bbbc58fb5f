// The server names an index by its keys: `a_1_b_1` is that of `a` and `b`, and of `a_1_b`.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "products", index(keys(a, b)))]
pub struct Product {
    #[serde(rename = "_id")]
    pub id: Id<Product>,
    pub a: i32,
    pub b: i32,
    #[index]
    pub a_1_b: i32,
}

fn main() {}
