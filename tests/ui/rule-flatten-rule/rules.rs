// A flattened value is not one stored field.

use std::collections::HashMap;

use mongo_model::{Id, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct Address {
    pub city: String,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "people")]
pub struct Person {
    #[serde(rename = "_id")]
    pub id: Id<Person>,
    #[serde(flatten)]
    #[index]
    pub address: Address,
    #[serde(flatten)]
    #[embed(max = 20)]
    pub rest: HashMap<String, bson::Bson>,
}

fn main() {}
