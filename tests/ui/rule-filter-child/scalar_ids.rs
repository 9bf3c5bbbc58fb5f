// A filter follows no reference: MongoDB filters one collection at a time.

use mongo_model::{Database, Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "parts")]
pub struct Part {
    #[serde(rename = "_id")]
    pub id: Id<Part>,
    #[index]
    pub name: String,
    pub qty: i64,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "products")]
pub struct Product {
    #[serde(rename = "_id")]
    pub id: i32,
    #[refs(Part)]
    pub parts: Vec<Id<Part>>,
    #[parent(Part)]
    pub main: Option<Id<Part>>,
}

pub async fn calls(db: &Database) {
    let _ = Product::find(db, |p| p.parts.name.eq("grommet"));
    let _ = Product::scan(db, |p| p.main.qty.gt(3));
}

fn main() {}
