// A copy beside the one reference, and entries there.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "persons")]
pub struct Person {
    #[serde(rename = "_id")]
    pub id: Id<Person>,
    pub name: String,
    #[refs(Task, inverse = owner)]
    pub tasks: Vec<Id<Task>>,
    #[refs(Job, inverse = owner)]
    pub jobs: Vec<Id<Job>>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "tasks")]
pub struct Task {
    #[serde(rename = "_id")]
    pub id: Id<Task>,
    #[parent(Person, inverse = tasks)]
    pub owner: Id<Person>,
    #[denorm(from = Person, field = name)]
    pub owner_name: String,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "jobs")]
pub struct Job {
    #[serde(rename = "_id")]
    pub id: Id<Job>,
    #[parent(Person, inverse = jobs)]
    #[denorm(from = Person, field = name)]
    pub owner: JobOwner,
}

pub fn main() {}
