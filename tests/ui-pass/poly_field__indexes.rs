// The same indexes and aliases on a field of all variants, and others on a field that only some of them have.

use mongo_model::{MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[serde(tag = "kind")]
#[model(collection = "employees", common(badge))]
pub enum Employee {
    Hourly(Hourly),
    Salary(Salary),
    External(External),
}

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct Hourly {
    #[serde(rename = "_id")]
    pub id: i32,
    #[index]
    #[index(name = "rare", partial(gt = 1000))]
    #[serde(alias = "number")]
    pub badge: i64,
    #[index]
    pub desk: i64,
}

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct Salary {
    #[serde(rename = "_id")]
    pub id: i32,
    #[index(name = "rare", partial(gt = 1000))]
    #[index]
    #[serde(alias = "number")]
    pub badge: i64,
    pub desk: i64,
}

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct External {
    #[serde(rename = "_id")]
    pub id: i32,
    #[index]
    #[index(name = "rare", partial(gt = 1000))]
    #[serde(alias = "number")]
    pub badge: i64,
}

pub fn main() {}
