// An import and an alias do not hide it.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

use uuid::Uuid;

pub type Key = Uuid;

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "events")]
pub struct Event {
    #[serde(rename = "_id")]
    pub id: Id<Event>,
    pub imported: Uuid,
    pub alias: Key,
}

fn main() {}
