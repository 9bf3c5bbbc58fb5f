// Conditions of a compound index name their fields.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(
    collection = "products",
    index(keys(maker, year), partial),
    index(keys(maker, year), partial(active)),
    index(keys(maker, year), partial(active())),
    index(keys(maker, year), partial(active = )),
    index(keys(maker, year), partial("active" = true)),
    index(keys(maker, year), partial(year > 5)),
    index(keys(maker, year), partial(gt = 5)),
)]
pub struct Product {
    #[serde(rename = "_id")]
    pub id: Id<Product>,
    pub maker: String,
    pub year: i32,
    pub active: bool,
}

fn main() {}
