//! Structs of a web API: several of a kind, with private fields, further derives, and an embedded `id` beside an `_id`.
#![deny(missing_docs)]

use std::collections::BTreeMap;

use mongo_model::{Database, Id, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

/// An author.
#[derive(Debug, Clone, Serialize, Deserialize, MongoEmbed)]
#[model(
    patch(AuthorPatch, nested(home = HomePatch), derive(Debug)),
    patch(AuthorName, only(name as text))
)]
pub struct Author {
    /// The number that another program knows.
    pub id: i64,
    /// The name.
    pub name: String,
    #[serde(default)]
    home: Option<Home>,
}

/// A home.
#[derive(Debug, Clone, Serialize, Deserialize, MongoEmbed)]
#[model(patch(HomePatch, derive(Debug)))]
pub struct Home {
    #[serde(rename = "town")]
    city: String,
}

/// A note.
#[derive(Debug, Serialize, Deserialize, MongoModel)]
#[serde(rename_all = "camelCase")]
#[model(
    collection = "notes",
    new(NewNote, skip(rest), deserialize),
    view(NoteView, skip(secret), derive(Debug, Clone)),
    view(NoteLine, only(id, r#type)),
    view(
        NoteCard,
        only(id as r#in, r#type as id),
        with(length: usize = Self::length, more: BTreeMap<String, Author>, r#fn: bool),
        derive(Debug)
    ),
    patch(NotePatch, skip(secret), nested(author = AuthorPatch), derive(Debug, Default)),
    patch(NoteBy, only(author as by), nested(author = AuthorName)),
    patch = NoteAdminPatch
)]
pub struct Note {
    #[serde(rename = "_id")]
    id: Id<Note>,
    /// The author.
    pub author: Author,
    secret: Option<String>,
    r#type: i32,
    #[serde(flatten)]
    rest: BTreeMap<String, i64>,
    #[serde(skip)]
    cached: u8,
}

impl Note {
    fn length(&self) -> usize {
        self.rest.len()
    }
}

/// Changes a note.
pub fn change(db: &Database, id: Id<Note>, patch: NotePatch, more: NoteAdminPatch) {
    let _ = Note::update(db, id).patch(patch).patch(more);
}

pub fn main() {
    let _: fn(Note) -> NoteView = NoteView::from;
    let _ = |note: &Note| NoteLine::from(note);
    let _ = |note: &Note| NoteCard::from((note, BTreeMap::new(), true)).length;
    let patch = NotePatch {
        r#type: Some(2),
        ..NotePatch::default()
    };
    assert!(format!("{patch:?}").contains("type: Some(2)"));
    let admin = NoteAdminPatch {
        secret: Some(None),
        ..Default::default()
    };
    assert!(admin.author.is_none());
}
