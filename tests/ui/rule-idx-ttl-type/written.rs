// Values that are no dates never expire.
use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "items")]
struct Item {
    #[serde(rename = "_id")]
    id: Id<Item>,
    #[index(expire_after = "1d")]
    at: String,
    #[index(expire_after = "1d")]
    stamp: bson::Timestamp,
}

fn main() {}
