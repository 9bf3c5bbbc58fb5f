// Bare, by numbers, dates and text, through an alias, and by the `_id` itself.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "a", queue)]
pub struct Bare {
    #[serde(rename = "_id")]
    pub id: Id<Bare>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "b", queue(priority = urgency, order = due, max_attempts = 3))]
pub struct Full {
    #[serde(rename = "_id")]
    pub id: Id<Full>,
    #[serde(rename = "u")]
    pub urgency: Number,
    pub due: Option<bson::DateTime>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "c", queue(priority = name, order = id))]
pub struct ById {
    #[serde(rename = "_id")]
    pub id: Id<ById>,
    pub name: String,
}

pub type Number = i32;

pub fn calls(db: &mongo_model::Database, job: &Full) {
    let _ = Full::queue(db).push(job);
    let _ = Full::queue(db).push_many([job]);
    let _ = Full::queue(db).dead();
}

pub fn main() {}
