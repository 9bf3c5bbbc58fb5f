// An array that is one side of a two-way reference has no setter.

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
    #[refs(Person, inverse = friends)]
    pub friends: Vec<Id<Person>>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "tasks")]
pub struct Task {
    #[serde(rename = "_id")]
    pub id: Id<Task>,
    #[parent(Person, inverse = tasks)]
    pub owner: Id<Person>,
}

pub async fn calls(db: &mongo_model::Database, person: Id<Person>, task: Id<Task>) {
    let _ = Person::update(db, person).set(|p| p.tasks, Vec::new());
    let _ = Person::update(db, person).push(|p| p.tasks, task);
    let _ = Person::update(db, person).pull(|p| p.friends, person);
    let _ = Person::update(db, person).set(|p| p.name, "Ann");
    let _ = Task::update(db, task).set(|t| t.owner, person);
}

fn main() {}
