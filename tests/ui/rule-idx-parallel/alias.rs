// An alias does not hide it.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

pub type Tags = Vec<String>;

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "products", index(keys(tags, labels)))]
pub struct Product {
    #[serde(rename = "_id")]
    pub id: Id<Product>,
    #[embed(max = 20)]
    pub tags: Tags,
    #[embed(max = 20)]
    pub labels: Tags,
}

fn main() {}
