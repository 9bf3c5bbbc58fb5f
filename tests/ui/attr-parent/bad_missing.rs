// A single reference has no slots to keep.

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
    #[parent(Part, missing = keep_slots)]
    pub of_refs: Id<Part>,
    #[parent(Part, missing = drp)]
    pub near: Id<Part>,
}

fn main() {}
