// Conditions have operators and constants.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "products")]
pub struct Product {
    #[serde(rename = "_id")]
    pub id: Id<Product>,
    #[index(partial)]
    pub a: String,
    #[index(partial())]
    pub b: String,
    #[index(partial = "a")]
    pub c: String,
    #[index(partial(5))]
    pub d: i32,
    #[index(partial(eq))]
    pub e: i32,
    #[index(partial(exists = 5))]
    pub f: String,
    #[index(partial(type))]
    pub g: String,
    #[index(partial(type = string))]
    pub h: String,
    #[index(partial(gte(5)))]
    pub i: i32,
}

fn main() {}
