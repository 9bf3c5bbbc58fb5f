// A `with` on a variant hides what is stored.

use mongo_model::MongoEmbed;
use serde::{Deserialize, Serialize};

pub mod text {
    pub fn serialize<S: serde::Serializer>(text: &str, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(text)
    }

    pub fn deserialize<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
        serde::Deserialize::deserialize(deserializer)
    }
}

#[derive(Serialize, Deserialize, MongoEmbed)]
#[serde(tag = "kind")]
#[model(allow(enum_untagged, reason = "it is tagged"))]
pub enum Block {
    #[serde(with = "text")]
    Text(String),
    Break,
}

fn main() {}
