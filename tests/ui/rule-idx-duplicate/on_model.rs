// One index, declared twice on the struct.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(
    collection = "products",
    index(keys(maker, -year)),
    index(keys(maker, -year)),
    index(keys(year), partial(active = true, maker = "Acme")),
    index(keys(year), partial(maker = "Acme", active = true)),
)]
pub struct Product {
    #[serde(rename = "_id")]
    pub id: Id<Product>,
    pub maker: String,
    pub year: i32,
    pub active: bool,
}

fn main() {}
