// `fields(..)` lists Rust names.

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
    #[denorm(from = Part, fields())]
    pub empty: Vec<PartA>,
    #[refs(Part)]
    #[denorm(from = Part, fields("name"))]
    pub string: Vec<PartB>,
    #[refs(Part)]
    #[denorm(from = Part, fields(name, name::first))]
    pub path: Vec<PartD>,
    #[refs(Part)]
    #[denorm(from = Part, fields = name)]
    pub value: Vec<PartC>,
}

fn main() {}
