// Types that BSON does not have.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "products")]
pub struct Product {
    #[serde(rename = "_id")]
    pub id: Id<Product>,
    #[index(partial(type = "strin"))]
    pub a: String,
    #[index(partial(type = "boolean"))]
    pub b: bool,
    #[index(partial(type = "uuid"))]
    pub c: bson::Uuid,
}

fn main() {}
