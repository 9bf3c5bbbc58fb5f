// A field of a struct named like its tag, and two variants of one name.

#![allow(unreachable_patterns)]

use mongo_model::MongoEmbed;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoEmbed)]
#[serde(tag = "kind")]
pub struct Text {
    pub kind: String,
}

#[derive(Serialize, Deserialize, MongoEmbed)]
pub enum Size {
    #[serde(rename = "s")]
    Small,
    #[serde(rename = "s")]
    Short,
}

fn main() {}
