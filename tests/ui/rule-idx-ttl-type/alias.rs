// No date behind an alias, in an embedded document.
use mongo_model::{Id, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "items", index(keys(b.at), expire_after = "1d"))]
struct Item {
    #[serde(rename = "_id")]
    id: Id<Item>,
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
