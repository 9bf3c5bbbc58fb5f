// A description of another crate's type is never stored itself.

use mongo_model::MongoEmbed;
use serde::{Deserialize, Serialize};

pub struct Duration {
    pub secs: i64,
}

#[derive(Serialize, Deserialize, MongoEmbed)]
#[serde(remote = "Duration")]
pub struct DurationDef {
    pub secs: i64,
}

fn main() {}
