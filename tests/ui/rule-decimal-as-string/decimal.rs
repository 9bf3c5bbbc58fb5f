// The type's own form is a string.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "items")]
pub struct Item {
    #[serde(rename = "_id")]
    pub id: Id<Item>,
    pub price: rust_decimal::Decimal,
    pub discount: Option<rust_decimal::Decimal>,
    #[embed(max = 3)]
    pub steps: Vec<rust_decimal::Decimal>,
}

fn main() {}
