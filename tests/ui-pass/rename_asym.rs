// Both directions alike, and the written name among those that are read.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "people")]
pub struct Person {
    #[serde(rename = "_id")]
    pub id: Id<Person>,
    #[serde(rename(serialize = "n", deserialize = "n"))]
    pub name: String,
    #[serde(rename(serialize = "m", deserialize = "mail"), alias = "m")]
    pub mail: String,
}

pub fn main() {}
