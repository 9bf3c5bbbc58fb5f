// Keys that are no fields of the model.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(
    collection = "products",
    index(keys(hots, -time)),
    index(keys(maker)),
    index(keys(text(body))),
    index(keys(-tiem)),
)]
pub struct Product {
    #[serde(rename = "_id")]
    pub id: Id<Product>,
    pub host: String,
    pub time: bson::DateTime,
}

fn main() {}
