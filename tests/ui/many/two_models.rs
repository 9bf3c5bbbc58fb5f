// Mistakes in two models that refer to each other.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "people")]
pub struct Person {
    #[serde(rename = "_id")]
    pub id: Id<Person>,
    #[refs(Task, max = 0)]
    pub tasks: Vec<Id<Task>>,
    pub name: String,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "")]
pub struct Task {
    #[serde(rename = "_id")]
    pub id: Id<Task>,
    #[parent(Person, srt = -due)]
    pub owner: Id<Person>,
    #[denorm(from = Person, field = name)]
    pub owner_name: String,
}

fn main() {}
