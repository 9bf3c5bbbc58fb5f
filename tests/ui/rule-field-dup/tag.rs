// A field named like the tag, and two variants of one tag.

use mongo_model::MongoEmbed;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoEmbed)]
#[serde(tag = "kind")]
pub enum Block {
    Text {
        kind: String,
    },
}

#[derive(Serialize, Deserialize, MongoEmbed)]
pub enum Size {
    #[serde(rename = "s")]
    Small,
    #[serde(rename = "s")]
    Short,
}

fn main() {}
