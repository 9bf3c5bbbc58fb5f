// Kinds of models that have no wall.

use mongo_model::{Id, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "jobs", tenant = org)]
pub struct Job {
    #[serde(rename = "_id")]
    pub id: Id<Job>,
    pub org: i64,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "jobs", shares = Job, tenant = org)]
pub struct Task {
    #[serde(rename = "_id")]
    pub id: Id<Job>,
    pub org: i64,
}

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct Car {
    #[serde(rename = "_id")]
    pub id: Id<Vehicle>,
    pub org: i64,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "vehicles", tenant = org)]
#[serde(tag = "kind")]
pub enum Vehicle {
    Car(Car),
}

fn main() {}
