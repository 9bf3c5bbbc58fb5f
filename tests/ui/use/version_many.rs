// Many documents have no one version to expect, and no one state to compare.

use mongo_model::{Database, Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "accounts")]
pub struct Account {
    #[serde(rename = "_id")]
    pub id: Id<Account>,
    #[index]
    pub owner: String,
    pub balance: i64,
    #[version]
    pub version: i64,
}

pub fn calls(db: &Database) {
    let of_ann = || Account::update_many(db, |a| a.owner.eq("ann"));
    let _ = of_ann().only_if(|a| a.version.eq(3)).set(|a| a.balance, 0);
    let _ = of_ann().set(|a| a.version, 100);
}

fn main() {}
