// Every variant would be stored as null.

use mongo_model::MongoEmbed;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoEmbed)]
#[serde(untagged)]
pub enum Size {
    Small,
    Large,
}

fn main() {}
