// What is stored under one name would not be found under the other.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "people")]
pub struct Person {
    #[serde(rename = "_id")]
    pub id: Id<Person>,
    #[serde(rename(serialize = "n", deserialize = "name"))]
    pub name: String,
    #[serde(rename(serialize = "m"))]
    pub mail: String,
}

fn main() {}
