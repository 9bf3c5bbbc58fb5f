// Two text indexes: a collection has one.
use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "items")]
struct Item {
    #[serde(rename = "_id")]
    id: Id<Item>,
    #[index(text)]
    a: String,
    #[index(text)]
    b: String,
}

fn main() {}
