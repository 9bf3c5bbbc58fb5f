// Two arrays, one of them inside an embedded document: only its type shows it.

use mongo_model::{Id, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct Labels {
    #[embed(max = 20)]
    pub all: Vec<String>,
    pub main: String,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "products", index(keys(labels.all, sizes)))]
pub struct Product {
    #[serde(rename = "_id")]
    pub id: Id<Product>,
    pub labels: Labels,
    #[embed(max = 20)]
    pub sizes: Vec<i32>,
}

fn main() {}
