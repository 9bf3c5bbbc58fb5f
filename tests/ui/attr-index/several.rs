// Several mistakes in one model: each is told once, in source order.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(
    collection = "products",
    index(keys(makr)),
    index(keys("maker")),
)]
pub struct Product {
    #[serde(rename = "_id")]
    pub id: Id<Product>,
    #[index(uniqe)]
    pub partno: String,
    #[index(expire_after = "30 days")]
    #[index(text)]
    pub seen: bson::DateTime,
    pub maker: String,
}

fn main() {}
