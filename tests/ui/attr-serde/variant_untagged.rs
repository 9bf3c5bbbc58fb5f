// One variant without its tag.

use mongo_model::MongoEmbed;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoEmbed)]
#[serde(tag = "kind")]
pub enum Block {
    Break,
    #[serde(untagged)]
    Text { text: String },
}

fn main() {}
