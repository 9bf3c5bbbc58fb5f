use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "notes", new = NewNote)]
pub struct Note {
    #[serde(rename = "_id")]
    pub id: Id<Note>,
    pub text: String,
    #[version]
    pub version: i64,
}

fn main() {
    let _ = Note::from(NewNote {
        text: String::new(),
        version: 1,
    });
}
