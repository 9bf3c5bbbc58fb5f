// Conditions that do not exist, and conditions on other fields.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "products", index(keys(c), partial(b(less = 5))))]
pub struct Product {
    #[serde(rename = "_id")]
    pub id: Id<Product>,
    #[index(partial(exist))]
    pub a: String,
    #[index(partial(greater = 5))]
    pub b: i32,
    #[index(partial(active = true))]
    pub c: i32,
    pub active: bool,
}

fn main() {}
