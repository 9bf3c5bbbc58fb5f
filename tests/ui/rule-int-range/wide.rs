// BSON integers have at most 64 bits.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "accounts")]
pub struct Account {
    #[serde(rename = "_id")]
    pub id: Id<Account>,
    pub signed: i128,
    pub unsigned: u128,
    pub maybe: Option<u128>,
}

fn main() {}
