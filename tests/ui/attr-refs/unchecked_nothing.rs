// `unchecked` where writes read the other side anyway, and where no write checks the references.

use std::collections::BTreeMap;

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "tasks")]
pub struct Task {
    #[serde(rename = "_id")]
    pub id: Id<Task>,
    #[parent(Person, inverse = tasks, unchecked)]
    pub owner: Id<Person>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "people")]
pub struct Person {
    #[serde(rename = "_id")]
    pub id: Id<Person>,
    #[refs(Task, inverse = owner, max = 100, unchecked)]
    pub tasks: Vec<Id<Task>>,
    #[refs(Task, max = 100, unchecked)]
    pub hours: BTreeMap<String, Id<Task>>,
    #[refs(Task, on_delete = keep, unchecked)]
    pub seen: Vec<Id<Task>>,
}

fn main() {}
