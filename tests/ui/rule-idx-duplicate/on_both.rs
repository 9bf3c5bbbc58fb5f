// One index, declared on the struct and on its field.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(
    collection = "products",
    index(keys(maker), name = "by_maker"),
    index(keys(-year)),
)]
pub struct Product {
    #[serde(rename = "_id")]
    pub id: Id<Product>,
    #[index]
    pub maker: String,
    #[index(desc)]
    pub year: i32,
}

fn main() {}
