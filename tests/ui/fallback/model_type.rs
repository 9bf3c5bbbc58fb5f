// A mistake that only the types show: its users are quiet.

use mongo_model::{Id, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Clone, Serialize, Deserialize, MongoModel)]
#[model(collection = "parts")]
pub struct Part {
    #[serde(rename = "_id")]
    pub id: Id<Part>,
    #[index(unique)]
    pub partno: String,
    pub name: String,
    pub tags: Vec<String>,
}

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct PartRef {
    #[parent(Part)]
    pub id: Id<Part>,
    #[denorm(from = Part, field = name)]
    pub name: String,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "products")]
pub struct Product {
    #[serde(rename = "_id")]
    pub id: Id<Product>,
    #[refs(Part)]
    pub parts: Vec<Id<Part>>,
    #[refs(Part, max = 20)]
    #[denorm(from = Part, field = name)]
    pub copied: Vec<ProductPart>,
    #[parent(Part)]
    pub main: Id<Part>,
    #[denorm(from = Part, field = name)]
    pub main_name: String,
    pub shown: PartRef,
}

pub async fn calls(db: &mongo_model::Database, product: &Product, id: Id<Part>) {
    let _ = Part::find(db, |p| p.partno.eq("a"));
    let _ = Part::get(db, id);
    let _ = Part::update(db, id).set(|p| p.name, "grommet");
    let _ = Product::find(db, |p| p.parts.contains(id));
    let _ = Product::find(db, |p| p.copied.id.eq(id));
    let _ = product.load_parts(db);
    let _ = product.load_copied(db);
    let _ = Product::by_main(db, id);
    let _ = &product.copied[0].name;
    let _ = ProductPart { id, name: String::new() };
}

fn main() {}
