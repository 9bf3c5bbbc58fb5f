// The id of a model, an embedded document of the same fields, and a model embedded for a reason.

use mongo_model::{Id, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct PartRef {
    #[parent(Part)]
    pub id: Id<Part>,
    #[denorm(from = Part, field = name)]
    pub name: String,
}

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
    #[parent(Part)]
    pub main: Id<Part>,
    pub shown: PartRef,
    #[model(allow(embed_standalone, reason = "the part as it was when it was sold"))]
    pub sold: Part,
}

pub fn main() {}
