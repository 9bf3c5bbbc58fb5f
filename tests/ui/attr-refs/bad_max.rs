// `max` is a whole number.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "parts")]
pub struct Part {
    #[serde(rename = "_id")]
    pub id: Id<Part>,
    pub name: String,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "products")]
pub struct Product {
    #[serde(rename = "_id")]
    pub id: Id<Product>,
    #[refs(Part, max = "20")]
    pub string: Vec<Id<Part>>,
    #[refs(Part, max = -1)]
    pub negative: Vec<Id<Part>>,
    #[refs(Part, max)]
    pub bare: Vec<Id<Part>>,
}

fn main() {}
