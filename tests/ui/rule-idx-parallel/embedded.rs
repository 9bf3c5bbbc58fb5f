// Two arrays, one of them inside an embedded document that only the types show.
use mongo_model::{Id, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "items", index(keys(a, b.tags)))]
struct Item {
    #[serde(rename = "_id")]
    id: Id<Item>,
    #[embed(max = 5)]
    a: Vec<String>,
    b: Inner,
}

#[derive(Serialize, Deserialize, MongoEmbed)]
struct Inner {
    tags: [String; 2],
    at: When,
    n: i64,
}

type When = String;

fn main() {}
