// Each side names the other: an array and a reference, two arrays, an array and itself, a tree, in either order of fields.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "persons")]
pub struct Person {
    #[serde(rename = "_id")]
    pub id: Id<Person>,
    #[refs(Task, inverse = owner)]
    pub tasks: Vec<Id<Task>>,
    #[refs(Club, inverse = members)]
    pub clubs: Vec<Id<Club>>,
    #[refs(Person, inverse = friends)]
    pub friends: std::collections::HashSet<Id<Person>>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "tasks")]
pub struct Task {
    #[serde(rename = "_id")]
    pub id: Id<Task>,
    #[parent(Person, inverse = tasks)]
    pub owner: Option<Id<Person>>,
    #[refs(Person)]
    pub watchers: Vec<Id<Person>>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "clubs")]
pub struct Club {
    #[serde(rename = "_id")]
    pub id: Id<Club>,
    #[refs(crate::refs_two_way_mismatch::Person, inverse = clubs)]
    members: Vec<Id<Person>>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "nodes")]
pub struct Node {
    #[serde(rename = "_id")]
    pub id: Id<Node>,
    #[refs(Node, inverse = parent)]
    children: Vec<Id<Node>>,
    #[parent(Node, inverse = children)]
    parent: Option<Id<Node>>,
}

pub fn main() {}
