// The field is named by its Rust name, without quotes and without a path.

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
    #[denorm(from = Part, field = "name")]
    pub string: Vec<PartA>,
    #[refs(Part)]
    #[denorm(from = Part, field = name::first)]
    pub path: Vec<PartB>,
    #[refs(Part)]
    #[denorm(from = Part, field(name))]
    pub list: Vec<PartC>,
    #[refs(Part)]
    #[denorm(from = Part, field)]
    pub bare: Vec<PartD>,
}

fn main() {}
