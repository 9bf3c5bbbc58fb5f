// A flattened document whose own fields carry the rules.

use mongo_model::{Id, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct Address {
    #[index]
    pub city: String,
    #[embed(max = 20)]
    pub tags: Vec<String>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "people")]
pub struct Person {
    #[serde(rename = "_id")]
    pub id: Id<Person>,
    #[serde(flatten)]
    pub address: Address,
}

pub fn main() {}
