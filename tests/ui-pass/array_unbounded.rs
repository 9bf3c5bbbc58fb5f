// A bound, a fixed size, and an array of arrays whose inner one has a fixed size.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "posts")]
pub struct Post {
    #[serde(rename = "_id")]
    pub id: Id<Post>,
    #[embed(max = 250)]
    pub tags: Vec<String>,
    pub position: [f64; 2],
    #[embed(max = 20)]
    pub line: Vec<[f64; 2]>,
    #[model(allow(array_unbounded, reason = "one per weekday"))]
    pub opening_hours: Vec<i32>,
}

pub fn main() {}
