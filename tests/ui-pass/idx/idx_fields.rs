// 32 keys in one index.
#![allow(dead_code)]
use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "items", index(keys(f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19, f20, f21, f22, f23, f24, f25, f26, f27, f28, f29, f30, f31)))]
struct Item {
    #[serde(rename = "_id")]
    id: Id<Item>,
    f0: i64,
    f1: i64,
    f2: i64,
    f3: i64,
    f4: i64,
    f5: i64,
    f6: i64,
    f7: i64,
    f8: i64,
    f9: i64,
    f10: i64,
    f11: i64,
    f12: i64,
    f13: i64,
    f14: i64,
    f15: i64,
    f16: i64,
    f17: i64,
    f18: i64,
    f19: i64,
    f20: i64,
    f21: i64,
    f22: i64,
    f23: i64,
    f24: i64,
    f25: i64,
    f26: i64,
    f27: i64,
    f28: i64,
    f29: i64,
    f30: i64,
    f31: i64,
}

pub fn main() {
    assert_eq!(<Item as MongoModel>::meta().name, "Item");
}
