// A model of the wrong shape, and one that refers to it.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "parts")]
pub struct Part(pub Id<Part>, pub String);

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "products")]
pub struct Product {
    #[serde(rename = "_id")]
    pub id: Id<Product>,
    #[refs(Part)]
    pub parts: Vec<Id<Part>>,
    #[parent(Part)]
    pub main: Option<Id<Part>>,
}

fn main() {}
