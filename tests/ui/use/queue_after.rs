// Only jobs wait.

use std::time::Duration;

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "notes")]
pub struct Note {
    #[serde(rename = "_id")]
    pub id: Id<Note>,
    pub text: String,
}

pub fn calls(db: &mongo_model::Database, note: &Note) {
    let _ = Note::insert(db, note).after(Duration::from_secs(60));
}

fn main() {}
