// A live document has no time, and the server writes a date.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "notes", soft_delete)]
pub struct Note {
    #[serde(rename = "_id")]
    pub id: Id<Note>,
    #[deleted]
    pub deleted_at: bson::DateTime,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "pages", soft_delete)]
pub struct Page {
    #[serde(rename = "_id")]
    pub id: Id<Page>,
    #[deleted]
    pub deleted: Option<bool>,
}

fn main() {}
