// Times of the standard library are stored as documents.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "events")]
pub struct Event {
    #[serde(rename = "_id")]
    pub id: Id<Event>,
    pub at: std::time::SystemTime,
    pub took: std::time::Duration,
    pub maybe: Option<std::time::SystemTime>,
}

fn main() {}
