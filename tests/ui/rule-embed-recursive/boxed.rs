// A document inside itself.

use mongo_model::MongoEmbed;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct Node {
    pub name: String,
    pub child: Option<Box<Node>>,
}

fn main() {}
