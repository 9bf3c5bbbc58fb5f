// Conditions that no value meets.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "products", index(keys(d), partial(c = 1)))]
pub struct Product {
    #[serde(rename = "_id")]
    pub id: Id<Product>,
    #[index(partial(gt = 5))]
    pub a: String,
    #[index(partial(type = "int"))]
    pub b: Option<String>,
    #[index(partial(eq = "true"))]
    pub c: bool,
    pub d: i32,
}

fn main() {}
