// A direction or kind belongs to one key.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(
    collection = "products",
    index(keys(maker, year), desc),
    index(keys(year), hashed),
    index(keys(name), text),
)]
pub struct Product {
    #[serde(rename = "_id")]
    pub id: Id<Product>,
    pub maker: String,
    pub year: i32,
    pub name: String,
}

fn main() {}
