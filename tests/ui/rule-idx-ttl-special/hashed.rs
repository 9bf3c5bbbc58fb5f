// A hashed index never expires anything.
use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "items")]
struct Item {
    #[serde(rename = "_id")]
    id: Id<Item>,
    #[index(hashed, expire_after = "1d")]
    at: bson::DateTime,
}

fn main() {}
