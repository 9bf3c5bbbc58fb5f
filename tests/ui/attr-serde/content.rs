// The variants' fields one level below their tag.

use mongo_model::MongoEmbed;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoEmbed)]
#[serde(tag = "kind", content = "value")]
pub enum Block {
    Text { text: String },
    Break,
}

fn main() {}
