// A copy of a version: every write of its source changes it.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "parts")]
pub struct Part {
    #[serde(rename = "_id")]
    pub id: Id<Part>,
    #[version]
    pub version: i64,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "stocks")]
pub struct Stock {
    #[serde(rename = "_id")]
    pub id: Id<Stock>,
    #[parent(Part)]
    pub part: Id<Part>,
    #[denorm(from = Part, field = version)]
    pub part_version: i64,
}

fn main() {}
