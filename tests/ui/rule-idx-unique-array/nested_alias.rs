// A field of an embedded document that is an array there.

use mongo_model::{Id, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct Labels {
    #[embed(max = 20)]
    pub all: Vec<String>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "products", index(keys(labels.all), unique))]
pub struct Product {
    #[serde(rename = "_id")]
    pub id: Id<Product>,
    pub labels: Labels,
}

fn main() {}
