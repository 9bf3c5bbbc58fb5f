// Two arrays in two embedded documents.

use mongo_model::{Id, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct Labels {
    #[embed(max = 20)]
    pub all: Vec<String>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "products", index(keys(english.all, german.all)))]
pub struct Product {
    #[serde(rename = "_id")]
    pub id: Id<Product>,
    pub english: Labels,
    pub german: Labels,
}

fn main() {}
