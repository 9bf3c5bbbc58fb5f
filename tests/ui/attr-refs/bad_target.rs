// The model is named by its path.

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
    #[refs("Part")]
    pub string: Vec<Id<Part>>,
    #[refs(5)]
    pub number: Vec<Id<Part>>,
    #[refs(&Part)]
    pub reference: Vec<Id<Part>>,
}

fn main() {}
