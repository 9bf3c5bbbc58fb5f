// Two arrays inside the elements of one array.

use mongo_model::{Id, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct Line {
    #[embed(max = 5)]
    pub colors: Vec<String>,
    #[embed(max = 5)]
    pub sizes: Vec<i32>,
    pub price: i64,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "products", index(keys(lines.colors, lines.sizes)))]
pub struct Product {
    #[serde(rename = "_id")]
    pub id: Id<Product>,
    #[embed(max = 20)]
    pub lines: Vec<Line>,
}

fn main() {}
