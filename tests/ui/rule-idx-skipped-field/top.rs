// Fields that serde leaves out are not in the document.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(
    collection = "products",
    index(keys(cache)),
    index(keys(year, -note)),
    index(keys(year), partial(cache = "x")),
)]
pub struct Product {
    #[serde(rename = "_id")]
    pub id: Id<Product>,
    #[serde(skip)]
    pub cache: String,
    #[serde(skip_serializing, default)]
    pub note: String,
    pub year: i32,
}

fn main() {}
