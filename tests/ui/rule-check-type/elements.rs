// A rule about elements is inside `each(..)`, and only arrays and sets have it.

use std::collections::BTreeMap;

use mongo_model::{Id, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoEmbed)]
#[serde(rename_all = "lowercase")]
pub enum State {
    Draft,
    Published,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "posts")]
pub struct Post {
    #[serde(rename = "_id")]
    pub id: Id<Post>,
    #[check(range = 1..=5)]
    #[embed(max = 20)]
    pub stars: Vec<i32>,
    #[check(each(len = 1..=40))]
    pub title: String,
    #[check(not_empty)]
    #[embed(max = 20)]
    pub counts: BTreeMap<String, i64>,
    #[check(one_of("draft"))]
    pub state: State,
}

fn main() {}
