// Copies of what follows from other documents.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "hosts")]
pub struct Host {
    #[serde(rename = "_id")]
    pub id: Id<Host>,
    #[count(LogMsg)]
    pub messages: i64,
    #[recent(LogMsg, max = 1000, sort = time, fields(time, message))]
    pub logmsgs: Vec<RecentLog>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "logmsgs")]
pub struct LogMsg {
    #[serde(rename = "_id")]
    pub id: Id<LogMsg>,
    pub time: bson::DateTime,
    pub message: String,
    #[parent(Host)]
    pub host: Id<Host>,
    #[denorm(from = Host, field = messages)]
    pub of: i64,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "persons")]
pub struct Person {
    #[serde(rename = "_id")]
    pub id: Id<Person>,
    #[refs(Task, inverse = owner)]
    pub tasks: Vec<Id<Task>>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "tasks")]
pub struct Task {
    #[serde(rename = "_id")]
    pub id: Id<Task>,
    #[parent(Person, inverse = tasks)]
    pub owner: Id<Person>,
    #[denorm(from = Person, field = tasks)]
    #[embed(max = 50)]
    pub others: Vec<Id<Task>>,
}

fn main() {}
