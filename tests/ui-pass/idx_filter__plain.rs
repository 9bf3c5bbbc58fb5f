// An index for the filter; a condition that an index serves beside it; and a scan on purpose.

use mongo_model::{Database, Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "products")]
pub struct Product {
    #[serde(rename = "_id")]
    pub id: Id<Product>,
    #[index(unique)]
    pub catalog_number: i64,
    #[index]
    pub maker: String,
    pub year: i32,
}

pub async fn calls(db: &Database) {
    let _ = Product::find(db, |p| p.maker.eq("Acme"));
    let _ = Product::find(db, |p| p.maker.eq("Acme").and(p.year.gt(1990)));
    let _ = Product::scan(db, |p| p.year.gt(1990));
}

pub fn main() {}
