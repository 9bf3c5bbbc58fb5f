// The options stand in parentheses.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "products")]
pub struct Product {
    #[serde(rename = "_id")]
    pub id: Id<Product>,
    #[index[unique]]
    pub partno: String,
    #[index { unique }]
    pub maker: String,
    #[index = "unique"]
    pub name: String,
}

fn main() {}
