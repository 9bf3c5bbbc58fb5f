// Factors that cannot be multiplied, and an average of a decimal.

use bson::Decimal128;
use mongo_model::{Average, Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "carts")]
pub struct Cart {
    #[serde(rename = "_id")]
    pub id: Id<Cart>,
    #[sum(Line, field = price * weight)]
    pub weight: Decimal128,
    #[sum(Line, field = price * quantity)]
    pub total: Decimal128,
    #[avg(Line, field = price)]
    pub mean: Average,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "lines")]
pub struct Line {
    #[serde(rename = "_id")]
    pub id: Id<Line>,
    #[parent(Cart)]
    pub cart: Id<Cart>,
    pub price: Decimal128,
    pub weight: f64,
    pub pieces: i32,
}

fn main() {}
