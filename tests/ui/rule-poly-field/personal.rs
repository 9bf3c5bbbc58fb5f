// Two variants store one field, which is personal in one of them.

use mongo_model::{Id, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct Employee {
    #[serde(rename = "_id")]
    pub id: Id<Person>,
    #[personal(erased = "gone")]
    pub name: String,
}

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct Company {
    #[serde(rename = "_id")]
    pub id: Id<Person>,
    pub name: String,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[serde(tag = "kind")]
#[model(collection = "persons")]
pub enum Person {
    Employee(Employee),
    Company(Company),
}

fn main() {}
