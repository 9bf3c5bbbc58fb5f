// Keys that are no fields of the elements of an array.

use mongo_model::{Id, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct Line {
    pub price: i64,
    pub maker: String,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(
    collection = "products",
    index(keys(lines.prize)),
    index(keys(more.prize)),
)]
pub struct Product {
    #[serde(rename = "_id")]
    pub id: Id<Product>,
    #[embed(max = 20)]
    pub lines: Vec<Line>,
    pub more: Option<Line>,
}

fn main() {}
