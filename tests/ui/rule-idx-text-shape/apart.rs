// Text keys with another key between them: error 67.
use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "items", index(keys(text(a), n, text(b))))]
struct Item {
    #[serde(rename = "_id")]
    id: Id<Item>,
    a: String,
    b: String,
    n: i64,
}

fn main() {}
