// Names that the server does not take.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "products", index(keys(a, b), name = ""))]
pub struct Product {
    #[serde(rename = "_id")]
    pub id: Id<Product>,
    #[index(name = "")]
    pub a: i32,
    #[index(name = "*")]
    pub b: i32,
    #[index(name = "_id_")]
    pub c: i32,
    #[index(name = "a\0b")]
    pub d: i32,
}

fn main() {}
