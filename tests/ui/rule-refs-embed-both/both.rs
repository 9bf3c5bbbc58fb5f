// A field is embedded or referenced, not both.

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
    #[refs(Part)]
    #[embed(max = 20)]
    pub many: Vec<Id<Part>>,
    #[parent(Part)]
    #[embed(max = 20)]
    pub one: Id<Part>,
}

fn main() {}
