// An array of scalars without a bound: in the unnamed content of a variant.

use mongo_model::MongoEmbed;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct Point {
    pub at: Vec<f64>,
}

#[derive(Serialize, Deserialize, MongoEmbed)]
#[serde(tag = "kind")]
pub enum Shape {
    Point(Point),
}

fn main() {}
