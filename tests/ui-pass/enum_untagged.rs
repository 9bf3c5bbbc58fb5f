// A tag; no data; and an untagged one for a reason.

use mongo_model::MongoEmbed;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoEmbed)]
#[serde(tag = "type")]
pub enum Shape {
    Circle { radius: f64 },
    Nothing,
}

#[derive(Serialize, Deserialize, MongoEmbed)]
pub enum Size {
    Small,
    Large,
}

#[derive(Serialize, Deserialize, MongoEmbed)]
#[serde(untagged)]
#[model(allow(enum_untagged, reason = "documents of another program"))]
pub enum Old {
    Text { text: String },
    Number { number: i64 },
}

pub fn main() {}
