// A field that is a copy of itself.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "nodes")]
pub struct Node {
    #[serde(rename = "_id")]
    pub id: Id<Node>,
    #[parent(Node)]
    pub parent: Option<Id<Node>>,
    #[denorm(from = Node, field = name)]
    pub name: String,
}

fn main() {}
