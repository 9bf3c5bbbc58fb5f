// One index, declared twice on its field.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "products")]
pub struct Product {
    #[serde(rename = "_id")]
    pub id: Id<Product>,
    #[index]
    #[index]
    pub maker: String,
    #[index(unique)]
    #[index(unique, name = "other")]
    pub code: String,
}

fn main() {}
