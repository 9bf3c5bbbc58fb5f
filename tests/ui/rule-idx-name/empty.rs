// Names the server refuses.
use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "items")]
struct Item {
    #[serde(rename = "_id")]
    id: Id<Item>,
    #[index(name = "")]
    n: i64,
    #[index(name = "*")]
    m: i64,
}

fn main() {}
