// Ways to write `history` that mean nothing.

use mongo_model::{Id, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "empty", history())]
struct Empty {
    #[serde(rename = "_id")]
    id: Id<Empty>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "value", history = "365d")]
struct Value {
    #[serde(rename = "_id")]
    id: Id<Value>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "misspelt", history(skip(secrets, title, notes, more), keeps = "365d"))]
struct Misspelt {
    #[serde(rename = "_id")]
    id: Id<Misspelt>,
    secret: String,
    #[serde(rename = "title")]
    name: String,
    notes: String,
    #[serde(flatten)]
    more: std::collections::BTreeMap<String, String>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "twice", history(skip(notes, r#notes), skip(id)))]
struct Twice {
    #[serde(rename = "_id")]
    id: Id<Twice>,
    notes: String,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "nothing", history(skip(), keep))]
struct Nothing {
    #[serde(rename = "_id")]
    id: Id<Nothing>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "short", history(keep = "23h"))]
struct Short {
    #[serde(rename = "_id")]
    id: Id<Short>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "long", history(keep = "69y"))]
struct Long {
    #[serde(rename = "_id")]
    id: Id<Long>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "denying", history)]
#[serde(deny_unknown_fields)]
struct Denying {
    #[serde(rename = "_id")]
    id: Id<Denying>,
}

#[derive(Serialize, Deserialize, MongoEmbed)]
#[model(history)]
struct Address {
    city: String,
}

fn main() {}
