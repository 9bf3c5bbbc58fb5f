// A comparison is one of numbers or of dates, in the same order here and on the server.

use bson::DateTime;
use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(
    collection = "events",
    check(first < last),
    check(start < seats),
    check(start + end < deadline),
    check(price + fee <= limit),
    check(paid * 2 < limit)
)]
pub struct Event {
    #[serde(rename = "_id")]
    pub id: Id<Event>,
    pub first: String,
    pub last: String,
    pub start: DateTime,
    pub end: DateTime,
    pub deadline: DateTime,
    pub seats: i32,
    pub price: f64,
    pub fee: f64,
    pub limit: f64,
    pub paid: bson::Decimal128,
}

fn main() {}
