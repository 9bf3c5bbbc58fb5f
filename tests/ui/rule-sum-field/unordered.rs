// Values without an order: several in an array, a document, a `bool`, and a misspelt name.

use mongo_model::{Id, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "lots")]
pub struct Lot {
    #[serde(rename = "_id")]
    pub id: Id<Lot>,
    #[max(Bid, field = amounts)]
    pub highest: Option<i64>,
    #[min(Bid, field = size)]
    pub smallest: Option<Size>,
    #[max(Bid, field = open)]
    pub open: Option<bool>,
    #[max(Bid, field = amont)]
    pub amount: Option<i64>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "bids")]
pub struct Bid {
    #[serde(rename = "_id")]
    pub id: Id<Bid>,
    #[parent(Lot)]
    pub lot: Id<Lot>,
    #[embed(max = 3)]
    pub amounts: Vec<i64>,
    pub size: Size,
    pub open: bool,
    pub amount: i64,
}

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct Size {
    pub width: i64,
}

fn main() {}
