// `Self` is its name too.

use mongo_model::MongoEmbed;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct Node {
    pub child: Option<Box<Self>>,
}

fn main() {}
