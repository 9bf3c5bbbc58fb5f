// Two versions.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "accounts")]
pub struct Account {
    #[serde(rename = "_id")]
    pub id: Id<Account>,
    #[version]
    pub version: i64,
    #[version]
    pub revision: i64,
}

fn main() {}
