// A version has no options.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "accounts")]
pub struct Account {
    #[serde(rename = "_id")]
    pub id: Id<Account>,
    #[version(start = 1)]
    pub version: i64,
}

fn main() {}
