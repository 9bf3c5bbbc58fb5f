// The same for a variant.

use mongo_model::MongoEmbed;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoEmbed)]
pub enum Size {
    #[serde(rename(serialize = "s", deserialize = "small"))]
    Small,
    Large,
}

fn main() {}
