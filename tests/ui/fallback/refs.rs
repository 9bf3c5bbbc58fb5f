// A broken `refs`: the loaders that it would generate are not missed.

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
    #[refs(Part, mx = 20)]
    pub parts: Vec<Id<Part>>,
}

pub async fn calls(db: &mongo_model::Database, product: &Product, id: Id<Part>) {
    let _ = product.load_parts(db);
    let _ = Product::by_parts(db, id);
    let _ = Product::find(db, |p| p.parts.contains(id));
}

fn main() {}
