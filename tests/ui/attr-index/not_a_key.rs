// What is not a key at all.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(
    collection = "products",
    index(keys(self::maker)),
    index(keys(-)),
    index(keys(1)),
    index(keys(text())),
    index(keys(text(maker, year))),
    index(keys(-text(maker))),
    index(keys(maker as text)),
    index(keys("not a path")),
    index(keys(maker.0)),
)]
pub struct Product {
    #[serde(rename = "_id")]
    pub id: Id<Product>,
    pub maker: String,
    pub year: i32,
}

fn main() {}
