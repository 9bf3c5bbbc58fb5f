// An array of itself, with a bound, and a map.

use std::collections::HashMap;

use mongo_model::MongoEmbed;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct Node {
    #[embed(max = 20)]
    pub children: Vec<Node>,
    #[embed(max = 20)]
    pub by_name: HashMap<String, Node>,
}

fn main() {}
