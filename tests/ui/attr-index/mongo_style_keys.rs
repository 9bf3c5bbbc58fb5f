// Keys as the shell writes them.
use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "items", index(keys(n = 1, "m")))]
struct Item {
    #[serde(rename = "_id")]
    id: Id<Item>,
    n: i64,
    m: i64,
}

fn main() {}
