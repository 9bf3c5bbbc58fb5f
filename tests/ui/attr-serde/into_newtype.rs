// A newtype that is stored as something else than it holds.

use mongo_model::MongoEmbed;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoEmbed)]
#[derive(Clone)]
#[serde(into = "String", from = "String")]
pub struct Level(pub i64);

impl From<Level> for String {
    fn from(level: Level) -> String {
        level.0.to_string()
    }
}

impl From<String> for Level {
    fn from(text: String) -> Level {
        Level(text.parse().unwrap_or_default())
    }
}

fn main() {}
