// Options that do not exist, of compound indexes.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(
    collection = "products",
    index(keys(maker, year), uniqe),
    index(kyes(maker, year)),
    index(fields(year, maker)),
    index(keys(-year), ttl = "30d"),
)]
pub struct Product {
    #[serde(rename = "_id")]
    pub id: Id<Product>,
    pub maker: String,
    pub year: i32,
}

fn main() {}
