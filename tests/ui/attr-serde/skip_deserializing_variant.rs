// A variant that is written but never read.

use mongo_model::MongoEmbed;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoEmbed)]
pub enum Size {
    Small,
    #[serde(skip_deserializing)]
    Large,
}

fn main() {}
