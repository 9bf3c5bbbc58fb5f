// A rule about elements is inside `each(..)`, one about values of maps inside `values(..)`, and a function judges one value.

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
    #[check(keys(len = 2))]
    #[embed(max = 20)]
    pub words: Vec<String>,
    #[check(values(range = 0..))]
    pub rank: i32,
    #[check(with = has_tags)]
    #[embed(max = 20)]
    pub tags: Vec<String>,
}

fn has_tags(_: &Vec<String>) -> Result<(), &'static str> {
    Ok(())
}

fn main() {}
