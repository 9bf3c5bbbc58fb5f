// The options are not part of the name.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "products", index(keys(maker), unique))]
pub struct Product {
    #[serde(rename = "_id")]
    pub id: Id<Product>,
    #[index]
    pub maker: String,
}

fn main() {}
