// Exactly 10 000 nested elements; more for a reason.

use mongo_model::{Id, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct Line {
    pub text: String,
}

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct Section {
    #[embed(max = 100)]
    pub lines: Vec<Line>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "docs")]
pub struct Doc {
    #[serde(rename = "_id")]
    pub id: Id<Doc>,
    #[embed(max = 100)]
    pub sections: Vec<Section>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "books")]
pub struct Book {
    #[serde(rename = "_id")]
    pub id: Id<Book>,
    #[embed(max = 200)]
    #[model(allow(embed_nested_product, reason = "imported once, never pushed to"))]
    pub sections: Vec<Section>,
}

pub fn main() {}
