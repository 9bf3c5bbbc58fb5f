// The children are of the same model.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "nodes")]
pub struct Node {
    #[serde(rename = "_id")]
    pub id: Id<Node>,
    pub at: bson::DateTime,
    #[parent(Node)]
    pub parent: Option<Id<Node>>,
    #[count(Node)]
    pub children: i64,
    #[recent(Node, max = 10, sort = -at, fields(at))]
    pub last: Vec<LastNode>,
}

pub fn main() {}
