// An index has one hashed key.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(
    collection = "products",
    index(keys(hashed(code), hashed(maker))),
    index(keys(hashed(code), geo(place))),
)]
pub struct Product {
    #[serde(rename = "_id")]
    pub id: Id<Product>,
    pub code: String,
    pub maker: String,
    pub place: [f64; 2],
}

fn main() {}
