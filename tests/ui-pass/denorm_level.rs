// Each level is in the tables, of entries and of plain copies; `eventual` where none is given.

use mongo_model::{Id, Level, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "parts")]
pub struct Part {
    #[serde(rename = "_id")]
    pub id: Id<Part>,
    pub name: String,
    pub color: String,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "products")]
pub struct Product {
    #[serde(rename = "_id")]
    pub id: Id<Product>,
    #[refs(Part)]
    #[denorm(from = Part, field = name, level = transactional)]
    #[denorm(from = Part, field = color, level = eventual)]
    pub parts: Vec<ProductPart>,
    #[parent(Part)]
    pub main: Id<Part>,
    #[denorm(from = Part, field = name, level = fire_and_forget)]
    pub main_name: String,
    #[denorm(from = Part, field = color)]
    pub main_color: String,
    #[denorm(from = Part, field = color, snapshot)]
    pub first_color: String,
}

pub fn main() {
    let flat = Product::meta().flat();
    let level = |rust: &str| {
        let field = flat.fields.iter().find(|field| field.rust == rust);
        let copy = field.and_then(|field| field.copy).expect("a copy");
        (copy.level, copy.snapshot)
    };
    assert_eq!(level("parts.name"), (Level::Transactional, false));
    assert_eq!(level("parts.color"), (Level::Eventual, false));
    assert_eq!(level("main_name"), (Level::FireAndForget, false));
    assert_eq!(level("main_color"), (Level::Eventual, false));
    assert_eq!(level("first_color"), (Level::Eventual, true));
}
