// `on_delete` is one of four words.

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
    #[refs(Part, on_delete = pul)]
    pub near: Vec<Id<Part>>,
    #[refs(Part, on_delete = restrict)]
    pub far: Vec<Id<Part>>,
    #[refs(Part, on_delete = unset)]
    pub of_parent: Vec<Id<Part>>,
    #[refs(Part, on_delete = "pull")]
    pub string: Vec<Id<Part>>,
    #[refs(Part, on_delete(pull))]
    pub list: Vec<Id<Part>>,
}

fn main() {}
