// A time in an embedded document, and one with options.

use mongo_model::{Id, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct Line {
    pub id: i32,
    #[created]
    pub at: bson::DateTime,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "visits")]
pub struct Visit {
    #[serde(rename = "_id")]
    pub id: Id<Visit>,
    #[created(now)]
    pub at: bson::DateTime,
}

fn main() {}
