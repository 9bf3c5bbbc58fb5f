// The keys stand in `keys(..)`.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(
    collection = "products",
    index(maker, -year),
    index(maker),
    index(maker = 1, year = -1),
    index(maker, unique),
    index(-year),
    index("maker"),
)]
pub struct Product {
    #[serde(rename = "_id")]
    pub id: Id<Product>,
    pub maker: String,
    pub year: i32,
}

fn main() {}
