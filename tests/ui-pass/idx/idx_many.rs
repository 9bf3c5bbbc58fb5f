// 30 declared indexes.
#![allow(dead_code)]
use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "items")]
struct Item {
    #[serde(rename = "_id")]
    id: Id<Item>,
    #[index]
    f0: i64,
    #[index]
    f1: i64,
    #[index]
    f2: i64,
    #[index]
    f3: i64,
    #[index]
    f4: i64,
    #[index]
    f5: i64,
    #[index]
    f6: i64,
    #[index]
    f7: i64,
    #[index]
    f8: i64,
    #[index]
    f9: i64,
    #[index]
    f10: i64,
    #[index]
    f11: i64,
    #[index]
    f12: i64,
    #[index]
    f13: i64,
    #[index]
    f14: i64,
    #[index]
    f15: i64,
    #[index]
    f16: i64,
    #[index]
    f17: i64,
    #[index]
    f18: i64,
    #[index]
    f19: i64,
    #[index]
    f20: i64,
    #[index]
    f21: i64,
    #[index]
    f22: i64,
    #[index]
    f23: i64,
    #[index]
    f24: i64,
    #[index]
    f25: i64,
    #[index]
    f26: i64,
    #[index]
    f27: i64,
    #[index]
    f28: i64,
}

pub fn main() {
    assert_eq!(<Item as MongoModel>::meta().name, "Item");
}
