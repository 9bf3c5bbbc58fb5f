// References inside of the wall that no write checks, or not by the `_id` of the target.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "customers", tenant = org)]
pub struct Customer {
    #[serde(rename = "_id")]
    pub id: Id<Customer>,
    pub org: i64,
    #[index(unique)]
    pub number: i64,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "visits", tenant = org)]
pub struct Visit {
    #[serde(rename = "_id")]
    pub id: Id<Visit>,
    pub org: i64,
    #[parent(Customer, unchecked)]
    pub first: Id<Customer>,
    #[parent(Customer, on_delete = keep)]
    pub second: Id<Customer>,
    #[parent(Customer, key = number)]
    pub third: i64,
    #[refs(Customer, max = 20)]
    pub fourth: BTreeMap<Id<Customer>, i64>,
}

fn main() {}
