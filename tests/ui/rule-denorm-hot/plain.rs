// The same for a plain copy, and for one of several.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "parts")]
pub struct Part {
    #[serde(rename = "_id")]
    pub id: Id<Part>,
    pub name: String,
    #[volatile]
    pub qty: i64,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "products")]
pub struct Product {
    #[serde(rename = "_id")]
    pub id: Id<Product>,
    #[parent(Part)]
    pub part: Id<Part>,
    #[denorm(from = Part, field = qty, via = part)]
    pub part_qty: i64,
    #[parent(Part)]
    #[denorm(from = Part, fields(name, qty))]
    pub second: PartRef,
}

fn main() {}
