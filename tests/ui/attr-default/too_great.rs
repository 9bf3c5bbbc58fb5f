use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "notes", new(NewNote, deserialize))]
pub struct Note {
    #[serde(rename = "_id")]
    pub id: Id<Note>,
    #[default(300)]
    pub level: u8,
}

fn main() {}
