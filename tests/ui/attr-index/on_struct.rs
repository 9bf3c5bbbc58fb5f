// An index of several fields stands in `#[model(..)]`.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "products")]
#[index(keys(maker, year))]
pub struct Product {
    #[serde(rename = "_id")]
    pub id: Id<Product>,
    pub maker: String,
    pub year: i32,
}

fn main() {}
