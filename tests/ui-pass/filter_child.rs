// What a filter asks about is in the collection: a copy of it, with an index of its own.

use mongo_model::{Database, Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "parts")]
pub struct Part {
    #[serde(rename = "_id")]
    pub id: Id<Part>,
    pub name: String,
    pub label: String,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "products", index(keys(parts.name)))]
pub struct Product {
    #[serde(rename = "_id")]
    pub id: i32,
    #[refs(Part)]
    #[denorm(from = Part, field = name)]
    pub parts: Vec<ProductPart>,
    #[parent(Part)]
    pub main: Id<Part>,
    #[denorm(from = Part, field = label)]
    #[index]
    pub label: String,
}

pub async fn calls(db: &Database) {
    let _ = Product::find(db, |p| p.parts.name.eq("grommet"));
    let _ = Product::find(db, |p| p.label.eq("blue"));
}

pub fn main() {}
