use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "notes", new(NewNote, deserialize, skip(state)))]
pub struct Note {
    #[serde(rename = "_id")]
    pub id: Id<Note>,
    #[default("untitled")]
    pub title: String,
    #[default(stars::usual())]
    pub stars: i64,
    #[default(1, 2)]
    pub shares: i32,
    #[default(None)]
    pub state: String,
}

fn main() {}
