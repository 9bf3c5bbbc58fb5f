// Another model on the collection of one with `soft_delete`.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "notes", soft_delete)]
pub struct Note {
    #[serde(rename = "_id")]
    pub id: Id<Note>,
    pub text: String,
    #[deleted]
    pub deleted_at: Option<bson::DateTime>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "notes", shares = Note)]
pub struct Title {
    #[serde(rename = "_id")]
    pub id: Id<Title>,
    pub title: String,
}

fn main() {}
