// A copy of one name that is frozen in one variant only.

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
    #[parent(Team)]
    pub team: i32,
    #[denorm(from = Team, field = name, snapshot)]
    pub team_name: String,
}

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct Salary {
    #[serde(rename = "_id")]
    pub id: i32,
    #[parent(Team)]
    pub team: i32,
    #[denorm(from = Team, field = name)]
    pub team_name: String,
}

fn main() {}
