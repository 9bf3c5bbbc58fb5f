// A two-way reference is by `_id`.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "persons")]
pub struct Person {
    #[serde(rename = "_id")]
    pub id: Id<Person>,
    #[index(unique)]
    pub name: String,
    #[refs(Task, inverse = owner)]
    pub tasks: Vec<Id<Task>>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "tasks")]
pub struct Task {
    #[serde(rename = "_id")]
    pub id: Id<Task>,
    #[parent(Person, key = name, inverse = tasks)]
    pub owner: String,
}

fn main() {}
