// A filter on a field without an index: the plain case.

use mongo_model::{Database, Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "products")]
pub struct Product {
    #[serde(rename = "_id")]
    pub id: Id<Product>,
    #[index(unique)]
    pub catalog_number: i64,
    pub maker: String,
}

pub async fn calls(db: &Database) {
    let _ = Product::find(db, |p| p.maker.eq("Acme"));
}

fn main() {}
