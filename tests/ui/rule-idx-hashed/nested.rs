// A field inside an array of documents, or an array inside a document.

use mongo_model::{Id, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct Line {
    pub code: String,
}

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct Labels {
    #[embed(max = 20)]
    pub all: Vec<String>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(
    collection = "products",
    index(keys(hashed(lines.code))),
    index(keys(hashed(labels.all))),
)]
pub struct Product {
    #[serde(rename = "_id")]
    pub id: Id<Product>,
    #[embed(max = 20)]
    pub lines: Vec<Line>,
    pub labels: Labels,
}

fn main() {}
