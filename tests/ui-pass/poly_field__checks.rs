// The same checks in all variants, or fields of other names.

use mongo_model::{Id, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct Hourly {
    #[serde(rename = "_id")]
    pub id: Id<Employee>,
    #[check(range = 0..)]
    pub pay: i64,
}

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct Salaried {
    #[serde(rename = "_id")]
    pub id: Id<Employee>,
    #[check(range = 0..)]
    pub pay: i64,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "checked_employees")]
#[serde(tag = "type")]
pub enum Employee {
    Hourly(Hourly),
    Salaried(Salaried),
}

#[derive(Serialize, Deserialize, MongoEmbed)]
#[serde(tag = "type")]
pub enum Figure {
    Circle {
        #[check(range = 0.0..)]
        size: f64,
    },
    Square {
        #[check(range = 0.0..)]
        size: f64,
    },
    Line {
        length: f64,
    },
}

pub fn main() {}
