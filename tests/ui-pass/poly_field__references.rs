// One reference with the same rules in both variants, and one to another model under a name of its own.

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
#[model(collection = "branches")]
pub struct Branch {
    #[serde(rename = "_id")]
    pub id: i32,
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
    #[denorm(from = Team, field = name, level = transactional)]
    pub team_name: String,
}

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct Salary {
    #[serde(rename = "_id")]
    pub id: i32,
    #[parent(Team, on_delete = cascade)]
    pub team: i32,
    #[denorm(from = Team, field = name, level = transactional)]
    pub team_name: String,
    #[parent(Branch)]
    pub branch: i32,
}

pub fn main() {}
