// What a loader returns is no list of references: a load of some of them cannot overwrite the whole.

use mongo_model::{Database, Id, Loaded, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "parts")]
pub struct Part {
    #[serde(rename = "_id")]
    pub id: Id<Part>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "products")]
pub struct Product {
    #[serde(rename = "_id")]
    pub id: i32,
    #[refs(Part)]
    pub parts: Vec<Id<Part>>,
}

pub fn calls(db: &Database, mut product: Product, some: Loaded<Part>, again: Loaded<Part>) {
    product.parts = some;
    let _ = Product::update(db, 1).set(|p| p.parts, again);
}

fn main() {}
