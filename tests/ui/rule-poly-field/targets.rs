// Two variants refer by one name, to different models.

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
    #[parent(Team)]
    pub group: i32,
}

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct Salary {
    #[serde(rename = "_id")]
    pub id: i32,
    #[parent(Branch)]
    pub group: i32,
}

fn main() {}
