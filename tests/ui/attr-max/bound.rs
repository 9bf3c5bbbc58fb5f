// An option of a count, and a second attribute.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "lots")]
pub struct Lot {
    #[serde(rename = "_id")]
    pub id: Id<Lot>,
    #[max(Bid, field = amount, max = 3)]
    pub highest: Option<i64>,
    #[min(Bid, field = amount)]
    #[max(Bid, field = amount)]
    pub both: Option<i64>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "bids")]
pub struct Bid {
    #[serde(rename = "_id")]
    pub id: Id<Bid>,
    #[parent(Lot)]
    pub lot: Id<Lot>,
    pub amount: i64,
}

fn main() {}
