// No setter, and no scopes without `soft_delete`.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "notes", soft_delete)]
pub struct Note {
    #[serde(rename = "_id")]
    pub id: Id<Note>,
    #[deleted]
    pub deleted_at: Option<bson::DateTime>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "pages")]
pub struct Page {
    #[serde(rename = "_id")]
    pub id: Id<Page>,
    pub text: String,
}

fn update(db: &mongo_model::Database, note: Id<Note>, page: Id<Page>) {
    let _ = Note::update(db, note).unset(|n| n.deleted_at);
    let _ = Page::restore(db, page);
    let _ = Page::get(db, page).with_deleted();
}

fn main() {}
