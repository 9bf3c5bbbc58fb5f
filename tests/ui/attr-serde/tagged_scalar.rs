// A scalar has no place beside a tag.

use mongo_model::MongoEmbed;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoEmbed)]
#[serde(tag = "kind")]
pub enum Block {
    Text(String),
    Numbers([i64; 2]),
    Break,
}

fn main() {}
