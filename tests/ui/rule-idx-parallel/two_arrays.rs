// Two arrays in one index: error 171 on every insert.
use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "items", index(keys(a, b)))]
struct Item {
    #[serde(rename = "_id")]
    id: Id<Item>,
    #[embed(max = 5)]
    a: Vec<String>,
    #[embed(max = 5)]
    b: Vec<String>,
    c: i64,
}

fn main() {}
