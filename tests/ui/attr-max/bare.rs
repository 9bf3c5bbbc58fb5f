// The attribute alone, and without a field.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "lots")]
pub struct Lot {
    #[serde(rename = "_id")]
    pub id: Id<Lot>,
    #[max]
    pub highest: Option<i64>,
    #[min(Bid)]
    pub lowest: Option<i64>,
    #[min(field = amount)]
    pub least: Option<i64>,
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
