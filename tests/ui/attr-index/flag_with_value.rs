// Words that take no value.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "products", index(keys(maker, year), unique = true))]
pub struct Product {
    #[serde(rename = "_id")]
    pub id: Id<Product>,
    #[index(unique = true)]
    pub partno: String,
    #[index(desc = -1)]
    pub year: i32,
    #[index(sparse(true))]
    pub maker: String,
    #[index(hashed = "partno")]
    pub name: String,
}

fn main() {}
