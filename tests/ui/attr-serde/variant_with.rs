// A `with` on a variant hides what is stored.

use mongo_model::MongoEmbed;
use serde::{Deserialize, Serialize};

pub mod shout {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use super::Line;

    pub fn serialize<S: Serializer>(line: &Line, serializer: S) -> Result<S::Ok, S::Error> {
        line.serialize(serializer)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Line, D::Error> {
        Line::deserialize(deserializer)
    }
}

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct Line {
    pub text: String,
}

#[derive(Serialize, Deserialize, MongoEmbed)]
#[serde(tag = "kind")]
pub enum Block {
    #[serde(with = "shout")]
    Text(Line),
    Break,
}

fn main() {}
