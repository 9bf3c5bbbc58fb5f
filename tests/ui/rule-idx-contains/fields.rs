// Fields that are found by no parts of them.
use mongo_model::{Id, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoEmbed)]
struct Address {
    #[index(contains)]
    #[model(max_len = 80)]
    street: String,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "films")]
struct Film {
    #[serde(rename = "_id")]
    #[index(contains)]
    #[model(max_len = 80)]
    id: String,
    #[index(contains)]
    year: i32,
    #[immutable]
    #[index(contains)]
    #[model(max_len = 80)]
    code: String,
    #[embed(max = 10)]
    #[index(contains)]
    #[model(max_len = 80)]
    names: Vec<String>,
    #[serde(with = "trimmed")]
    #[index(contains)]
    #[model(max_len = 80)]
    title: String,
}

mod trimmed {
    pub fn serialize<S: serde::Serializer>(text: &String, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(text.trim())
    }

    pub fn deserialize<'de, D: serde::Deserializer<'de>>(from: D) -> Result<String, D::Error> {
        serde::Deserialize::deserialize(from)
    }
}

fn main() {}
