// Two indexes of one chosen name.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "products")]
pub struct Product {
    #[serde(rename = "_id")]
    pub id: Id<Product>,
    #[index(name = "newest")]
    pub maker: String,
    #[index(name = "newest")]
    pub year: i32,
}

fn main() {}
