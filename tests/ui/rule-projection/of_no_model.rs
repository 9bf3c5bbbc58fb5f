// A struct that no derive knows has no stored fields.

use mongo_model::MongoProjection;
use serde::Deserialize;

pub struct Product {
    pub name: String,
    pub note: String,
}

#[derive(Deserialize, MongoProjection)]
#[projection(of = Product)]
pub struct Summary {
    pub name: String,
    pub note: String,
}

fn main() {}
