// The default, exactly 5 000, and more for a reason.

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
    #[refs(Part)]
    pub default_max: Vec<Id<Part>>,
    #[refs(Part, max = 5000)]
    pub few_thousand: Vec<Id<Part>>,
    #[refs(Part, max = 10000)]
    #[model(allow(refs_too_many, reason = "all parts of a ship"))]
    pub large: Vec<Id<Part>>,
    #[refs(Part, max = 6000)]
    #[model(allow(refs_too_many, reason = "all parts of a ship"))]
    pub allowed: Vec<Id<Part>>,
}

pub fn main() {
    assert_eq!(Product::meta().shape.fields[1].max, 2000);
}
