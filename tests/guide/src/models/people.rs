//! Persons and their tasks: one-to-few, and two-way references.

use mongo_model::{Id, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

/// A person with a few addresses.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "guide_persons")]
pub struct Person {
    #[serde(rename = "_id")]
    pub id: Id<Person>,
    pub name: String,
    #[embed(max = 20)]
    pub addresses: Vec<Address>,
    #[refs(Task, inverse = owner)]
    pub tasks: Vec<Id<Task>>,
}

/// An address inside a person.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
pub struct Address {
    pub street: String,
    #[index]
    pub city: String,
}

/// A task of one person.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "guide_tasks")]
pub struct Task {
    #[serde(rename = "_id")]
    pub id: Id<Task>,
    pub description: String,
    #[parent(Person, inverse = tasks)]
    pub owner: Id<Person>,
}

/// A person without addresses and tasks.
#[must_use]
pub fn person(name: &str) -> Person {
    Person {
        id: Id::new(),
        name: name.to_owned(),
        addresses: Vec::new(),
        tasks: Vec::new(),
    }
}

/// A task of this person.
#[must_use]
pub fn task(description: &str, owner: &Person) -> Task {
    Task {
        id: Id::new(),
        description: description.to_owned(),
        owner: owner.id,
    }
}
