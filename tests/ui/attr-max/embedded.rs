// An extreme in an embedded document.

use mongo_model::{Id, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "lots")]
pub struct Lot {
    #[serde(rename = "_id")]
    pub id: Id<Lot>,
    pub inside: Inside,
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

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct Inside {
    #[max(Bid, field = amount)]
    pub highest: Option<i64>,
}

fn main() {}
