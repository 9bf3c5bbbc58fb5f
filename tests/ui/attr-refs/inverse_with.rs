// The other side is stored as its type says.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "persons")]
pub struct Person {
    #[serde(rename = "_id")]
    pub id: Id<Person>,
    #[refs(Task, inverse = owner)]
    #[serde(with = "ids")]
    pub tasks: Vec<Id<Task>>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "tasks")]
pub struct Task {
    #[serde(rename = "_id")]
    pub id: Id<Task>,
    #[parent(Person, inverse = tasks)]
    pub owner: Id<Person>,
}

mod ids {
    pub use serde::{Deserialize as _, Serialize as _};

    pub fn serialize<T: serde::Serialize, S: serde::Serializer>(value: &T, to: S) -> Result<S::Ok, S::Error> {
        value.serialize(to)
    }

    pub fn deserialize<'de, T: serde::Deserialize<'de>, D: serde::Deserializer<'de>>(from: D) -> Result<T, D::Error> {
        T::deserialize(from)
    }
}

fn main() {}
