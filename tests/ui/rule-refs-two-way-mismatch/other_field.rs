// Two fields name one, which names one of them.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "persons")]
pub struct Person {
    #[serde(rename = "_id")]
    pub id: Id<Person>,
    #[refs(Task, inverse = owner)]
    pub tasks: Vec<Id<Task>>,
    #[refs(Task, inverse = owner)]
    pub jobs: Vec<Id<Task>>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "tasks")]
pub struct Task {
    #[serde(rename = "_id")]
    pub id: Id<Task>,
    #[parent(Person, inverse = tasks)]
    pub owner: Id<Person>,
}

fn main() {}
