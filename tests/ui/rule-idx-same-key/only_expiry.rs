// Two indexes that differ only in their expiry: error 85.
use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "items")]
struct Item {
    #[serde(rename = "_id")]
    id: Id<Item>,
    #[index(expire_after = "1d")]
    #[index(expire_after = "2d")]
    at: bson::DateTime,
}

fn main() {}
