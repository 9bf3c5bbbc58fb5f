// A name is a string.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "products")]
pub struct Product {
    #[serde(rename = "_id")]
    pub id: Id<Product>,
    #[index(name = partno)]
    pub partno: String,
    #[index(name)]
    pub maker: String,
    #[index(name("year"))]
    pub year: i32,
    #[index(name = 5)]
    pub code: i32,
}

fn main() {}
