// Of a strict model, advice is an error.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "goods", strict)]
pub struct Good {
    #[serde(rename = "_id")]
    pub id: Id<Good>,
    pub price: f64,
    #[index]
    pub sold: bool,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "fine", strict, schema_version = 1)]
pub struct Fine {
    #[serde(rename = "_id")]
    pub id: Id<Fine>,
    #[model(allow(money_float, reason = "an estimate"))]
    pub price: f64,
}

fn main() {}
