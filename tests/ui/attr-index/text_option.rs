// A text option without a text key.
use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "items", index(keys(n), weights(n = 2)))]
struct Item {
    #[serde(rename = "_id")]
    id: Id<Item>,
    n: i64,
}

fn main() {}
