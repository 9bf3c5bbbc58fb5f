// A model is a struct with named fields.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "a")]
pub struct Tuple(pub Id<Tuple>, pub String);

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "b")]
pub struct Unit;

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "c")]
#[serde(tag = "kind")]
pub enum Employee {
    Hourly { wage: i64 },
    Salary { month: i64 },
}

fn main() {}
