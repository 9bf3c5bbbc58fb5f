// Numbers are compared with numbers, also where one is optional, wider or calculated, and dates with dates.

use bson::{DateTime, Decimal128};
use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(
    collection = "events",
    check(start < end, seats != 13),
    check(price * seats <= limit, sold + 2 * reserved <= seats, -1.5 < price),
    check(sold != 13, on = write),
    check(paid <= total, fee * seats + 0.5 <= total)
)]
pub struct Event {
    #[serde(rename = "_id")]
    pub id: Id<Event>,
    pub start: DateTime,
    pub end: Option<DateTime>,
    pub seats: i32,
    pub sold: u32,
    #[serde(default)]
    pub reserved: Option<i64>,
    pub price: f64,
    pub limit: f64,
    pub paid: Option<Decimal128>,
    pub fee: Decimal128,
    pub total: Decimal128,
}

pub fn main() {}
