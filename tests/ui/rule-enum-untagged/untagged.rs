// Documents that do not say which variant they are.

use mongo_model::MongoEmbed;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoEmbed)]
#[serde(untagged)]
pub enum Shape {
    Circle { radius: f64 },
    Square { side: f64 },
}

fn main() {}
