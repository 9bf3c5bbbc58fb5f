// A field of the elements of an array.

use mongo_model::{Id, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct Line {
    pub code: String,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "products", index(keys(lines.code), unique))]
pub struct Product {
    #[serde(rename = "_id")]
    pub id: Id<Product>,
    #[embed(max = 20)]
    pub lines: Vec<Line>,
}

fn main() {}
