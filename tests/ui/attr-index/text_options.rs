// Options of text indexes, without a text key.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "products", index(keys(c), weights(c = 10)))]
pub struct Product {
    #[serde(rename = "_id")]
    pub id: Id<Product>,
    #[index(default_language = "german")]
    pub a: String,
    #[index(desc, language_override = "lang")]
    pub b: String,
    pub c: String,
}

fn main() {}
