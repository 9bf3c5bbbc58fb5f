// A version has no setter, and is not saved over; what has none is not compared.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "accounts")]
pub struct Account {
    #[serde(rename = "_id")]
    pub id: Id<Account>,
    pub balance: i64,
    #[version]
    pub version: i64,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "notes")]
pub struct Note {
    #[serde(rename = "_id")]
    pub id: Id<Note>,
    pub text: String,
}

pub async fn calls(db: &mongo_model::Database, mut account: Account, mut note: Note) {
    let _ = Account::update(db, account.id).set(|a| a.version, 1);
    let _ = account.save(db);
    let _ = note.save_if_unchanged(db);
    let _ = Note::save_many_if_unchanged(db, [&mut note]);
    let _ = Note::update_with(db, note.id, |n| n.text.clear());
}

fn main() {}
