use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(
    collection = "notes",
    new(skip(text)),
    view(NoteView, skip(text), only(id)),
    view(NoteLine, deserialize),
    view = "NoteText",
    patch,
    patch(NotePatch, skip = text)
)]
pub struct Note {
    #[serde(rename = "_id")]
    pub id: Id<Note>,
    pub text: String,
}

fn main() {}
