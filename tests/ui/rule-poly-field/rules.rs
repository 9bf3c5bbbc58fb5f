// Two variants refer by one name, and a delete treats them differently.

use mongo_model::{MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "teams")]
pub struct Team {
    #[serde(rename = "_id")]
    pub id: i32,
    pub name: String,
}

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
    #[parent(Team, on_delete = cascade)]
    pub team: i32,
}

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct Salary {
    #[serde(rename = "_id")]
    pub id: i32,
    #[parent(Team)]
    pub team: i32,
}

fn main() {}
