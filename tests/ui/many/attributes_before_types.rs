// What the attributes show comes first: the types are not asked until they are right.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "products")]
pub struct Product {
    #[serde(rename = "_id")]
    pub id: Id<Product>,
    pub tags: Vec<String>,
    #[embed(mx = 20)]
    pub words: Vec<String>,
}

fn main() {}
