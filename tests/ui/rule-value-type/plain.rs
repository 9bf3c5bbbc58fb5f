// A type that says nothing about how it is stored, alone and inside.

use std::collections::HashMap;

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize)]
pub struct Address {
    pub city: String,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "people")]
pub struct Person {
    #[serde(rename = "_id")]
    pub id: Id<Person>,
    pub one: Address,
    pub maybe: Option<Address>,
    #[embed(max = 20)]
    pub many: Vec<Address>,
    #[embed(max = 20)]
    pub map: HashMap<String, Address>,
}

fn main() {}
