// A field twice in one index.
use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "items", index(keys(n, -n)))]
struct Item {
    #[serde(rename = "_id")]
    id: Id<Item>,
    n: i64,
}

fn main() {}
