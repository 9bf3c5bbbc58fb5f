use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[serde(tag = "kind")]
#[model(collection = "employees", new = NewEmployee)]
pub enum Employee {
    Hourly(Hourly),
}

#[derive(Serialize, Deserialize, mongo_model::MongoEmbed)]
pub struct Hourly {
    #[serde(rename = "_id")]
    pub id: Id<Employee>,
    pub rate: i64,
}

fn main() {}
