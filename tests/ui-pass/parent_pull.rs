// Around each reference with `pull` there is something that can be removed: an element, an entry, or an optional document.

use std::collections::{BTreeMap, HashMap};

use mongo_model::{Id, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "users_pulled")]
pub struct User {
    #[serde(rename = "_id")]
    pub id: Id<User, String>,
}

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct Member {
    #[parent(User, on_delete = pull)]
    pub user: Id<User, String>,
    pub role: String,
}

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct Office {
    pub head: Member,
    #[embed(max = 10)]
    pub others: Vec<Member>,
}

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct Building {
    #[embed(max = 10)]
    pub offices: Vec<Office>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "teams_pulled")]
pub struct Team {
    #[serde(rename = "_id")]
    pub id: Id<Team>,
    #[embed(max = 20)]
    pub members: Vec<Member>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lead: Option<Member>,
    #[embed(max = 20)]
    pub by_room: BTreeMap<String, Member>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub annex: Option<Box<Office>>,
    #[embed(max = 5)]
    pub offices: HashMap<String, Building>,
    #[refs(User, max = 20, on_delete = pull)]
    pub seats: BTreeMap<String, Id<User, String>>,
    #[refs(User, max = 20, on_delete = pull)]
    pub votes: BTreeMap<Id<User, String>, i32>,
}

pub fn main() {
    let pulls = Team::meta().shape.fields.iter();
    let pulls = pulls.filter(|field| field.relation.is_some());
    assert_eq!(pulls.count(), 2);
}
