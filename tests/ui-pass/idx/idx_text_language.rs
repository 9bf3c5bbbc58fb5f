// Another field is the language.
#![allow(dead_code)]
use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "items", index(keys(text(body)), language_override = "_lang"))]
struct Item {
    #[serde(rename = "_id")]
    id: Id<Item>,
    body: String,
    language: String,
}

pub fn main() {
    assert_eq!(<Item as MongoModel>::meta().name, "Item");
}
