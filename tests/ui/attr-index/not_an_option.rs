// Something that is neither a word, a value nor a list.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "products")]
pub struct Product {
    #[serde(rename = "_id")]
    pub id: Id<Product>,
    #[index("unique")]
    pub partno: String,
    #[index(-1)]
    pub year: i32,
    #[index(name = )]
    pub maker: String,
    #[index(collation[locale = "en"])]
    pub name: String,
}

fn main() {}
