// Shard keys by which each call names one shard.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "orders", strict, schema_version = 1, shard_key(hashed(id)))]
pub struct Order {
    #[serde(rename = "_id")]
    pub id: Id<Order>,
    #[index]
    pub customer: i64,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "issues", tenant = org, strict, schema_version = 1, shard_key(org, id))]
pub struct Issue {
    #[serde(rename = "_id")]
    pub id: Id<Issue>,
    pub org: i64,
}

pub fn main() {
    let key = |meta: &mongo_model::model::ModelMeta| {
        let key = meta.shard_key.expect("a shard key");
        (key.by_tenant, key.hashed)
    };
    assert_eq!(key(Order::meta()), (false, true));
    assert_eq!(key(Issue::meta()), (true, false));
}
