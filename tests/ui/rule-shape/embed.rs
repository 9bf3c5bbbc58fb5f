// What an embedded document cannot be.

use mongo_model::MongoEmbed;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct Unit;

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct Pair(pub i64, pub i64);

#[derive(Serialize, Deserialize, MongoEmbed)]
#[model(allow(enum_untagged, reason = "of another program"))]
pub enum Shape {
    Point(f64, f64),
    Nothing,
}

fn main() {}
