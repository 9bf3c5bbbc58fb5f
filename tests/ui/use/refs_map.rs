// No index serves a map, and no reverse join goes through one.

use std::collections::{BTreeMap};

use mongo_model::{Database, Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "parts")]
pub struct Part {
    #[serde(rename = "_id")]
    pub id: Id<Part>,
    #[index(unique)]
    pub partno: String,
    pub name: String,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "products")]
pub struct Product {
    #[serde(rename = "_id")]
    pub id: Id<Product>,
    #[refs(Part, max = 100)]
    pub spare: BTreeMap<String, Id<Part>>,
}

fn ask(db: &Database, part: Id<Part>) {
    let _ = Product::find(db, |p| p.spare.eq(BTreeMap::new()));
    let _ = Product::by_spare(db, part);
}

fn main() {}
