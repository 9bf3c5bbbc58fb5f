// Keys are Rust names: the stored name is no field.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(
    collection = "products",
    index(keys(mk)),
    index(keys(_id, year)),
)]
pub struct Product {
    #[serde(rename = "_id")]
    pub id: Id<Product>,
    #[serde(rename = "mk")]
    pub maker: String,
    pub year: i32,
}

fn main() {}
