// Keys and weights belong to the struct: a field is its own key.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "products")]
pub struct Product {
    #[serde(rename = "_id")]
    pub id: Id<Product>,
    #[index(keys(maker, year))]
    pub maker: String,
    #[index(text, weights(name = 10))]
    pub name: String,
    pub year: i32,
}

fn main() {}
