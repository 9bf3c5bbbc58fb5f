use std::collections::BTreeMap;

use mongo_model::{Id, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "events", patch = EventPatch, view(EventView, skip(id, code)))]
pub struct Event {
    #[serde(rename = "_id")]
    pub id: Id<Event>,
    #[immutable]
    pub code: String,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[serde(tag = "kind")]
#[model(collection = "employees", view = EmployeeView, patch = EmployeePatch)]
pub enum Employee {
    Hourly(Hourly),
}

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct Hourly {
    #[serde(rename = "_id")]
    pub id: Id<Employee>,
    pub rate: i64,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "forms", new(NewForm, deserialize))]
pub struct Form {
    #[serde(rename = "_id")]
    pub id: Id<Form>,
    #[serde(flatten)]
    pub answers: BTreeMap<String, i64>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "imports", view = ImportView)]
pub struct Import {
    #[serde(rename = "_id")]
    pub key: Id<Import>,
    pub id: i64,
}

fn main() {}
