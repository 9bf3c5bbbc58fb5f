// A chosen name that another index has from its keys.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "products")]
pub struct Product {
    #[serde(rename = "_id")]
    pub id: Id<Product>,
    #[index]
    pub maker: String,
    #[index(name = "maker_1")]
    pub year: i32,
}

fn main() {}
