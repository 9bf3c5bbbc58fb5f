// `rename_all` makes two names one.

#![allow(unreachable_patterns)]

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "people")]
#[serde(rename_all = "camelCase")]
pub struct Person {
    #[serde(rename = "_id")]
    pub id: Id<Person>,
    pub first_name: String,
    #[serde(rename = "firstName")]
    pub other: String,
}

fn main() {}
