// Documents of kinds that a newer program has stored are read as one variant without contents.

use mongo_model::{MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct Hourly {
    #[serde(rename = "_id")]
    pub id: i32,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[serde(tag = "kind")]
#[model(collection = "employees")]
pub enum Employee {
    Hourly(Hourly),
    #[serde(other)]
    Unknown,
}

pub fn main() {
    assert!(matches!(Employee::from(Hourly { id: 1 }), Employee::Hourly(_)));
}
