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
    patch(NotePatch, skip = text, with(length: i64)),
    view(NoteLength, only(text as), with(length)),
    view(NoteWords, only(id, text as words), with(words: i64, length: usize = Note::length))
)]
pub struct Note {
    #[serde(rename = "_id")]
    pub id: Id<Note>,
    pub text: String,
}

fn main() {}
