// Two models that copy different fields, and a copy of the parent's name under another name.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "people")]
pub struct Person {
    #[serde(rename = "_id")]
    pub id: Id<Person>,
    pub name: String,
    #[parent(Team)]
    pub team: Id<Team>,
    #[denorm(from = Team, field = motto)]
    pub motto: String,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "teams")]
pub struct Team {
    #[serde(rename = "_id")]
    pub id: Id<Team>,
    #[parent(Person)]
    pub head: Id<Person>,
    #[denorm(from = Person, field = name)]
    pub head_name: String,
    pub motto: String,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "nodes")]
pub struct Node {
    #[serde(rename = "_id")]
    pub id: Id<Node>,
    pub name: String,
    #[parent(Node)]
    pub parent: Id<Node>,
    #[denorm(from = Node, field = name)]
    pub parent_name: String,
}

pub fn main() {}
