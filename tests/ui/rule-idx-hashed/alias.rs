// An alias does not hide the array.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

pub type Tags = Vec<String>;

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "products")]
pub struct Product {
    #[serde(rename = "_id")]
    pub id: Id<Product>,
    #[index(hashed)]
    #[embed(max = 20)]
    pub tags: Tags,
}

fn main() {}
