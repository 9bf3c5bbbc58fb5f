// Fields by their Rust names, whatever they are stored as; raw names; renamed copies.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "parts")]
pub struct Part {
    #[serde(rename = "_id")]
    pub id: Id<Part>,
    #[serde(rename = "n")]
    pub name: String,
    pub r#type: String,
    pub label: Option<String>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "products")]
pub struct Product {
    #[serde(rename = "_id")]
    pub id: Id<Product>,
    #[refs(Part)]
    #[denorm(from = Part, fields(name, r#type))]
    #[denorm(from = Part, field = label, into = caption, default)]
    pub parts: Vec<ProductPart>,
}

pub fn main() {
    let part = ProductPart { id: Id::new(), name: "grommet".to_owned(), r#type: "seal".to_owned(), caption: None };
    let stored = bson::serialize_to_document(&part).expect("encodes");
    assert_eq!(stored.keys().collect::<Vec<_>>(), ["id", "name", "type", "caption"]);
}
