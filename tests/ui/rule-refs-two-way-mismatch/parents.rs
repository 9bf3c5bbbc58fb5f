// One reference on each side.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "persons")]
pub struct Person {
    #[serde(rename = "_id")]
    pub id: Id<Person>,
    #[parent(Task, inverse = owner)]
    pub task: Id<Task>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "tasks")]
pub struct Task {
    #[serde(rename = "_id")]
    pub id: Id<Task>,
    #[parent(Person, inverse = task)]
    pub owner: Id<Person>,
}

fn main() {}
