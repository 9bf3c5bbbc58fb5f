// An extreme has no setter.

use mongo_model::{Database, Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "lots")]
pub struct Lot {
    #[serde(rename = "_id")]
    pub id: Id<Lot>,
    #[max(Bid, field = amount)]
    pub highest: Option<i64>,
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

pub async fn raise(db: &Database, id: Id<Lot>) {
    let _ = Lot::update(db, id).set(|l| l.highest, Some(3)).await;
}

fn main() {}
