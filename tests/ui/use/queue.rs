// What is no queue has no jobs.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "notes")]
pub struct Note {
    #[serde(rename = "_id")]
    pub id: Id<Note>,
    pub text: String,
}

pub fn calls(db: &mongo_model::Database) {
    let _ = Note::queue(db);
}

fn main() {}
