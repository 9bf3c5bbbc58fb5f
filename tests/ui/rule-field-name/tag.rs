// The tag of an enum is a field too.

use mongo_model::MongoEmbed;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoEmbed)]
#[serde(tag = "$type")]
pub enum Block {
    Text {
        text: String,
    },
}

fn main() {}
