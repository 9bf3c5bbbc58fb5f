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

/// A frozen copy follows nothing: a change ends there.
#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "tours")]
pub struct Tour {
    #[serde(rename = "_id")]
    pub id: Id<Tour>,
    #[parent(Stop)]
    pub first: Id<Stop>,
    #[denorm(from = Stop, field = title, snapshot)]
    pub title: String,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "stops")]
pub struct Stop {
    #[serde(rename = "_id")]
    pub id: Id<Stop>,
    #[parent(Guide)]
    pub guide: Id<Guide>,
    #[denorm(from = Guide, field = title)]
    pub title: String,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "guides")]
pub struct Guide {
    #[serde(rename = "_id")]
    pub id: Id<Guide>,
    #[parent(Tour)]
    pub tour: Id<Tour>,
    #[denorm(from = Tour, field = title)]
    pub title: String,
}

pub fn main() {}
