// 64 indexes with `_id`.
#![allow(dead_code)]
use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "items", allow(idx_many, reason = "a test"))]
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
    #[index]
    f29: i64,
    #[index]
    f30: i64,
    #[index]
    f31: i64,
    #[index]
    f32: i64,
    #[index]
    f33: i64,
    #[index]
    f34: i64,
    #[index]
    f35: i64,
    #[index]
    f36: i64,
    #[index]
    f37: i64,
    #[index]
    f38: i64,
    #[index]
    f39: i64,
    #[index]
    f40: i64,
    #[index]
    f41: i64,
    #[index]
    f42: i64,
    #[index]
    f43: i64,
    #[index]
    f44: i64,
    #[index]
    f45: i64,
    #[index]
    f46: i64,
    #[index]
    f47: i64,
    #[index]
    f48: i64,
    #[index]
    f49: i64,
    #[index]
    f50: i64,
    #[index]
    f51: i64,
    #[index]
    f52: i64,
    #[index]
    f53: i64,
    #[index]
    f54: i64,
    #[index]
    f55: i64,
    #[index]
    f56: i64,
    #[index]
    f57: i64,
    #[index]
    f58: i64,
    #[index]
    f59: i64,
    #[index]
    f60: i64,
    #[index]
    f61: i64,
    #[index]
    f62: i64,
}

pub fn main() {
    assert_eq!(<Item as MongoModel>::meta().name, "Item");
}
