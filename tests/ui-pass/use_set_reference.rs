// References that copies hang on are set: the copies follow.

use mongo_model::{Id, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct Slot {
    #[parent(Part)]
    pub part: Id<Part>,
    #[denorm(from = Part, field = name)]
    pub part_name: String,
    pub count: i64,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "parts")]
pub struct Part {
    #[serde(rename = "_id")]
    pub id: Id<Part>,
    pub name: String,
    pub partno: String,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "products")]
pub struct Product {
    #[serde(rename = "_id")]
    pub id: Id<Product>,
    pub shown: Slot,
    #[parent(Part)]
    pub main: Id<Part>,
    #[denorm(from = Part, field = name, via = main)]
    pub main_name: String,
    #[parent(Part)]
    #[denorm(from = Part, field = partno)]
    pub spare: Option<Spare>,
    #[refs(Part)]
    #[denorm(from = Part, field = name)]
    pub parts: Vec<ProductPart>,
}

pub async fn calls(
    db: &mongo_model::Database,
    id: Id<Product>,
    part: Id<Part>,
    spare: Spare,
    parts: Vec<ProductPart>,
) {
    let _ = Product::update(db, id).set(|p| p.main, part);
    let _ = Product::update(db, id).set(|p| p.shown.part, part);
    let _ = Product::update(db, id).set(|p| p.spare, spare);
    let _ = Product::update(db, id).set(|p| p.spare.id, part);
    let _ = Product::update(db, id).unset(|p| p.spare);
    let _ = Product::update(db, id).set(|p| p.parts, parts);
}

pub fn main() {}
