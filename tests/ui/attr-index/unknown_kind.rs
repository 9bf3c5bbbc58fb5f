// Kinds that keys do not have.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(
    collection = "products",
    index(keys(hash(maker))),
    index(keys(asc(maker), dsc(year))),
    index(keys(btree(maker))),
)]
pub struct Product {
    #[serde(rename = "_id")]
    pub id: Id<Product>,
    pub maker: String,
    pub year: i32,
}

fn main() {}
