// What would make reading differ is refused.

use mongo_model::{Id, MongoModel, MongoProjection};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "products")]
pub struct Product {
    #[serde(rename = "_id")]
    pub id: Id<Product>,
    pub name: String,
    pub note: Option<String>,
}

#[derive(Deserialize, MongoProjection)]
#[serde(deny_unknown_fields)]
#[projection(of = Product)]
pub struct Strict {
    pub name: String,
}

#[derive(Deserialize, MongoProjection)]
#[serde(transparent)]
#[projection(of = Product)]
pub struct Transparent {
    pub name: String,
}

#[derive(Deserialize, MongoProjection)]
#[serde(from = "Strict")]
#[projection(of = Product)]
pub struct Converted {
    pub name: String,
}

impl From<Strict> for Converted {
    fn from(_: Strict) -> Self {
        unreachable!()
    }
}

#[derive(Deserialize, MongoProjection)]
#[projection(of = Product)]
pub struct Fields {
    pub name: String,
    #[serde(skip)]
    pub note: Option<String>,
}

#[derive(Deserialize, MongoProjection)]
#[projection(of = Product)]
pub struct Flat {
    #[serde(flatten)]
    pub rest: Strict,
}

fn main() {}
