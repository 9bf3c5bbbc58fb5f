// `missing` is one of three words.

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
    #[refs(Part, missing = strct)]
    pub near: Vec<Id<Part>>,
    #[refs(Part, missing = report)]
    pub far: Vec<Id<Part>>,
    #[refs(Part, missing = "strict")]
    pub string: Vec<Id<Part>>,
    #[refs(Part, missing)]
    pub flag: Vec<Id<Part>>,
}

fn main() {}
