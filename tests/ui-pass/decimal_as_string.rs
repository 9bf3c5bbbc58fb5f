// The helper that stores a decimal, BSON's own type, and a string for a reason.

use mongo_model::{Id, MongoModel};
use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "items")]
pub struct Item {
    #[serde(rename = "_id")]
    pub id: Id<Item>,
    #[index]
    #[serde(with = "mongo_model::decimal")]
    pub price: Decimal,
    #[serde(with = "mongo_model::decimal::option")]
    pub discount: Option<Decimal>,
    pub weight: bson::Decimal128,
    #[model(allow(decimal_as_string, reason = "only displayed"))]
    pub label: Decimal,
}

pub fn main() {}
