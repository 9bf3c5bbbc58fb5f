use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(
    collection = "notes",
    new(NewNote, skip(texd)),
    view(NoteView, skip(secrets)),
    view(NoteLine, only(cached)),
    patch(NotePatch, skip(id, version)),
    patch(NoteOwnerPatch, only(opened, owner))
)]
pub struct Note {
    #[serde(rename = "_id")]
    pub id: Id<Note>,
    pub text: String,
    pub secret: String,
    #[immutable]
    pub owner: String,
    #[created]
    pub opened: bson::DateTime,
    #[version]
    pub version: i64,
    #[serde(skip)]
    pub cached: u8,
}

fn main() {}
