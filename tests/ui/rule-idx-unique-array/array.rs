// Unique over an array forbids two documents to share an element.
use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "items")]
struct Item {
    #[serde(rename = "_id")]
    id: Id<Item>,
    #[embed(max = 5)]
    #[index(unique)]
    tags: Vec<String>,
}

fn main() {}
