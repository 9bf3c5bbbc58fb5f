// An embedded document that all variants have, of two types that differ in an index.

use mongo_model::{MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[serde(tag = "kind")]
#[model(collection = "employees")]
pub enum Employee {
    Hourly(Hourly),
    Salary(Salary),
}

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct Hourly {
    #[serde(rename = "_id")]
    pub id: i32,
    pub home: Home,
}

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct Home {
    pub city: String,
}

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct Salary {
    #[serde(rename = "_id")]
    pub id: i32,
    pub home: IndexedHome,
}

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct IndexedHome {
    #[index]
    pub city: String,
}

fn main() {}
