// A two-way reference leads to documents.

use mongo_model::{Id, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "persons")]
pub struct Person {
    #[serde(rename = "_id")]
    pub id: Id<Person>,
    #[refs(Task, inverse = owner)]
    pub tasks: Vec<Id<Task>>,
}

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct Step {
    #[parent(Person, inverse = tasks)]
    pub owner: Id<Person>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "tasks")]
pub struct Task {
    #[serde(rename = "_id")]
    pub id: Id<Task>,
    pub first: Step,
    #[parent(Person, inverse = tasks)]
    pub owner: Id<Person>,
}

fn main() {}
