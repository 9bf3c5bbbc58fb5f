// Generated entries on the side that follows one reference.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "persons")]
pub struct Person {
    #[serde(rename = "_id")]
    pub id: Id<Person>,
    #[refs(Task, inverse = owner)]
    #[denorm(from = Task, field = name)]
    pub tasks: Vec<PersonTask>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "tasks")]
pub struct Task {
    #[serde(rename = "_id")]
    pub id: Id<Task>,
    pub name: String,
    #[parent(Person, inverse = tasks)]
    pub owner: Id<Person>,
}

fn main() {}
