// Two fields under one stored name.

#![allow(unreachable_patterns)]

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "people")]
pub struct Person {
    #[serde(rename = "_id")]
    pub id: Id<Person>,
    #[serde(rename = "name")]
    pub first_name: String,
    pub name: String,
}

fn main() {}
