// Options on the index of `_id`: error 197.
use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "items", index(keys(id), unique))]
struct Item {
    #[serde(rename = "_id")]
    id: Id<Item>,
    n: i64,
}

fn main() {}
