// An alias that is the name of another field.

#![allow(unreachable_patterns)]

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "people")]
pub struct Person {
    #[serde(rename = "_id")]
    pub id: Id<Person>,
    pub name: String,
    #[serde(alias = "name")]
    pub nick: String,
}

fn main() {}
