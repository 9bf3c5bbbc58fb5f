// A key that serde never stores.
use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "items", index(keys(cache)))]
struct Item {
    #[serde(rename = "_id")]
    id: Id<Item>,
    #[serde(skip)]
    cache: i64,
}

fn main() {}
