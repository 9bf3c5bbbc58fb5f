// The bound of references is their own `max`; copied fields beside each id are `denorm`.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "parts")]
pub struct Part {
    #[serde(rename = "_id")]
    pub id: Id<Part>,
    pub name: String,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "products")]
pub struct Product {
    #[serde(rename = "_id")]
    pub id: Id<Product>,
    #[refs(Part, max = 20)]
    pub many: Vec<Id<Part>>,
    #[refs(Part, max = 20)]
    #[denorm(from = Part, field = name)]
    pub copied: Vec<ProductPart>,
}

pub fn main() {}
