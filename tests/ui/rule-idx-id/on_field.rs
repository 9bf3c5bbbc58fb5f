// `_id` always has its own unique index.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "products")]
pub struct Product {
    #[serde(rename = "_id")]
    #[index(unique)]
    pub id: Id<Product>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "parts")]
pub struct Part {
    #[index(partial(exists), name = "ids")]
    pub _id: Id<Part>,
}

fn main() {}
