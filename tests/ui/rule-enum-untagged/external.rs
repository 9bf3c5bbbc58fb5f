// Each variant one level down, under its name.

use mongo_model::MongoEmbed;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoEmbed)]
pub enum Shape {
    Circle { radius: f64 },
    Nothing,
}

fn main() {}
