// An extreme that cannot be absent, and one of another type.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "lots")]
pub struct Lot {
    #[serde(rename = "_id")]
    pub id: Id<Lot>,
    #[max(Bid, field = amount)]
    pub highest: i64,
    #[min(Bid, field = amount)]
    pub lowest: Option<i32>,
    #[min(Bid, field = weight, only(amount = 3))]
    pub lightest: Option<i32>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "bids")]
pub struct Bid {
    #[serde(rename = "_id")]
    pub id: Id<Bid>,
    #[parent(Lot)]
    pub lot: Id<Lot>,
    pub amount: i64,
    pub weight: Option<f64>,
}

fn main() {}
