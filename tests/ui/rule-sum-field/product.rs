// Factors that cannot be multiplied, and averages of a decimal and of an integer in the type of the other.

use bson::Decimal128;
use mongo_model::{Average, DecimalAverage, Id, MongoModel};
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
    #[avg(Line, field = pieces)]
    pub pieces: DecimalAverage,
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
