// Up to 64 bits, and decimals beyond.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "accounts")]
pub struct Account {
    #[serde(rename = "_id")]
    pub id: Id<Account>,
    pub signed: i64,
    pub small: u32,
    pub unsigned: u64,
    pub wide: bson::Decimal128,
}

pub fn main() {}
