// A field that several variants store under one name has the same checks in all of them.

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
    #[check(range = 1..)]
    pub pay: i64,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "employees")]
#[serde(tag = "type")]
pub enum Employee {
    Hourly(Hourly),
    Salaried(Salaried),
}

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct Card {
    #[check(len = 16)]
    pub number: String,
}

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct Invoice {
    pub number: String,
}

#[derive(Serialize, Deserialize, MongoEmbed)]
#[serde(tag = "type")]
pub enum Payment {
    Card(Card),
    Invoice(Invoice),
}

#[derive(Serialize, Deserialize, MongoEmbed)]
#[serde(tag = "type")]
pub enum Figure {
    Circle {
        #[check(range = 0.0..)]
        size: f64,
    },
    Square {
        size: f64,
    },
}

fn main() {}
