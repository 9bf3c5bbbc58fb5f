// What the other side must have cannot be taken away, and is not replaced as a whole.

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
    let _ = Person::remove_task(db, person, task);
    let _ = Person::replace_tasks(db, person, [task]);
    let _ = Person::add_tasks(db, person, [task]);
    let _ = Task::reassign_owner(db, task, None);
    let _ = Person::add_task(db, person, task);
    let _ = Person::remove_friend(db, person, person);
    let _ = Person::replace_friends(db, person, [person]);
    let _ = Person::add_friends(db, person, [person]);
}

fn main() {}
